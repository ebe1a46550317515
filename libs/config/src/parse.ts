// Pure: firm.yaml's text to a frozen configuration.
import { EXECUTIVE_ROLES, FirmError, parseWith } from "@firm/protocol";
import { parse, YAMLParseError } from "yaml";
import { orgChartOf, type OrgChart } from "./org-chart.ts";
import { FirmConfig } from "./schema.ts";

/**
 * Reads a configuration; empty text gives the defaults.
 * @throws FirmError `invalid-config` naming the field, or the line where it is not YAML.
 */
export function parseConfig(text: string): FirmConfig {
  let input: unknown;
  try {
    input = parse(text, { maxAliasCount: 50 }) ?? {};
  } catch (cause) {
    if (!(cause instanceof YAMLParseError)) throw cause;
    throw new FirmError("invalid-config", `firm.yaml is not YAML: ${cause.message}`, {
      field: "firm.yaml",
      cause,
    });
  }
  const config = parseWith(FirmConfig, input, "firm.yaml", "invalid-config");
  requireKnownRoles(config, orgChartOf(config));
  return deepFreeze(config);
}

/** An agent for a role that nobody has is a misspelling. @throws FirmError `invalid-config`. */
function requireKnownRoles({ agents }: FirmConfig, { roles }: OrgChart): void {
  for (const role of Object.keys(agents.roles)) {
    if (roles.some((known) => known === role) || EXECUTIVE_ROLES.some((known) => known === role)) continue;
    const field = `agents.roles.${role}`;
    throw new FirmError("invalid-config", `${field}: there is no such role; known: ${roles.join(", ")}`, {
      field,
    });
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
