import { EXECUTIVE_ROLES, FIRM_IDENTITIES, subjects, type Identity } from "@firm/protocol";
import { describe, expect, it } from "vitest";
import { orgChartOf } from "./org-chart.ts";
import { parseConfig } from "./parse.ts";
import { permissionsOf } from "./permissions.ts";

const { roles } = orgChartOf(parseConfig(""));
const everyRole: Identity[] = [...roles, ...EXECUTIVE_ROLES];

describe("permissionsOf", () => {
  it("pins what a role may do (DESIGN: seen to work with this client)", () => {
    expect(permissionsOf("department:engineering", roles)).toEqual({
      publish: [
        "firm.from.department.engineering.>",
        "$JS.API.CONSUMER.INFO.FIRM_WORK.department_engineering",
        "$JS.API.CONSUMER.MSG.NEXT.FIRM_WORK.department_engineering",
        "$JS.ACK.FIRM_WORK.department_engineering.>",
      ],
      subscribe: [
        "_INBOX_department_engineering.>",
        "firm.to.department.engineering.>",
        "firm.stop.*",
        "$SRV.>",
      ],
      allowResponses: { max: 1, expires: "1h" },
    });
  });

  it("gives an executive its own queue, for board meetings", () => {
    expect(permissionsOf("cfo", roles).publish).toEqual([
      "firm.from.executive.cfo.>",
      "$JS.API.CONSUMER.INFO.FIRM_WORK.executive_cfo",
      "$JS.API.CONSUMER.MSG.NEXT.FIRM_WORK.executive_cfo",
      "$JS.ACK.FIRM_WORK.executive_cfo.>",
    ]);
  });

  it("shares nothing to speak with between two roles", () => {
    for (const a of everyRole) {
      for (const b of everyRole) {
        if (a === b) continue;
        const own = new Set(permissionsOf(a, roles).publish);
        expect(permissionsOf(b, roles).publish.filter((subject) => own.has(subject))).toEqual([]);
      }
    }
  });

  it("lets only the gateway speak to roles, give out work, stop runs and write the log", () => {
    const reserved = [subjects.allTo, subjects.allWork, subjects.allStops, subjects.run.all, subjects.allDlq];
    for (const identity of [...FIRM_IDENTITIES, ...everyRole]) {
      const { publish } = permissionsOf(identity, roles);
      const allowed = reserved.filter((subject) => publish.includes(subject));
      expect(allowed).toEqual(identity === "gateway" ? reserved : []);
      expect(publish.includes(">")).toBe(identity === "operator");
    }
  });

  it("lets none but the operator create or delete streams and durables", () => {
    for (const identity of [...FIRM_IDENTITIES, ...everyRole]) {
      if (identity === "operator") continue;
      for (const subject of permissionsOf(identity, roles).publish) {
        expect(subject).not.toMatch(
          /^\$JS\.(?:API\.)?(?:>|\*)|STREAM\.(?:CREATE|UPDATE|DELETE|RESTORE)|CONSUMER\.DURABLE|CONSUMER\.(?:CREATE|DELETE)\.FIRM_WORK/,
        );
      }
    }
  });

  it("has the gateway answer every role that may ask it", () => {
    const { publish } = permissionsOf("gateway", roles);
    for (const role of everyRole) expect(publish).toContain(`${subjects.inbox(role)}.>`);
  });
});
