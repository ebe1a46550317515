// Pure: the org chart as a tree of roles (seed: firm-orchestration, "Architecture").
import { FirmError, type Role } from "@firm/protocol";
import type { FirmConfig } from "./schema.ts";

/** Who reports to whom. */
export interface OrgChart {
  /** Every role of the pyramid, the CEO first, top down. */
  readonly roles: readonly Role[];
  /** Department roles in merge order. */
  readonly departments: readonly Role[];
  /** Direct reports of a role; empty for employees and for roles outside the pyramid. */
  reportsOf(role: Role): readonly Role[];
  /** The superior of a role; undefined for the CEO and for roles outside the pyramid. */
  superiorOf(role: Role): Role | undefined;
  /** The roles below and including `role`, top down. */
  subtreeOf(role: Role): readonly Role[];
  expertiseOf(role: Role): string;
}

/**
 * Builds the chart.
 * @throws FirmError `invalid-config` where a name stands twice or the merge order names no department.
 */
export function orgChartOf(config: FirmConfig): OrgChart {
  const reports = new Map<Role, Role[]>([["ceo", []]]);
  const superior = new Map<Role, Role>();
  const expertise = new Map<Role, string>();
  const add = (role: Role, above: Role, text: string, field: string): void => {
    if (superior.has(role))
      throw new FirmError("invalid-config", `${field}: ${role} stands twice in the org chart`, { field });
    superior.set(role, above);
    reports.set(role, []);
    reports.get(above)?.push(role);
    expertise.set(role, text);
  };
  for (const [d, department] of config.departments.entries()) {
    const departmentRole = `department:${department.name}`;
    add(departmentRole, "ceo", department.expertise, `departments.${d}.name`);
    for (const [s, service] of department.services.entries()) {
      const serviceRole = `service:${service.name}`;
      add(serviceRole, departmentRole, service.expertise, `departments.${d}.services.${s}.name`);
      for (const [e, employee] of service.employees.entries()) {
        add(
          `employee:${employee.name}`,
          serviceRole,
          employee.expertise,
          `departments.${d}.services.${s}.employees.${e}.name`,
        );
      }
    }
  }
  const reportsOf = (role: Role): readonly Role[] => reports.get(role) ?? [];
  const subtreeOf = (role: Role): readonly Role[] => {
    const roles = [role];
    for (let i = 0; i < roles.length; i++) roles.push(...reportsOf(roles[i] ?? role));
    return roles;
  };
  return {
    roles: subtreeOf("ceo"),
    departments: mergeOrder(config, reportsOf("ceo")),
    reportsOf,
    superiorOf: (role) => superior.get(role),
    subtreeOf,
    expertiseOf: (role) => expertise.get(role) ?? "",
  };
}

/** Named departments first, in the order given; the rest after them, as listed. */
function mergeOrder(config: FirmConfig, departments: readonly Role[]): readonly Role[] {
  const named = (config.merge_order ?? []).map((name, i) => {
    const role = `department:${name}`;
    if (!departments.includes(role)) {
      throw new FirmError("invalid-config", `merge_order.${i}: there is no department "${name}"`, {
        field: `merge_order.${i}`,
      });
    }
    return role;
  });
  return [...new Set([...named, ...departments])];
}
