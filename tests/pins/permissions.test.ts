// Pins what each identity may say and hear on the bus. A red test here means: make it deliberate; a line more is a right more.
import { permissionsOf } from "@firm/config";
import { EXECUTIVE_ROLES } from "@firm/protocol";
import { describe, expect, it } from "vitest";

const ROLES = ["ceo", "department:engineering"];
const STATE = ["FIRM_RUNS", "KV_firm-runs", "KV_firm-sessions", "OBJ_firm-artifacts"];

/** Reading one stream: no right to write, to purge or to delete anything but one's own consumer. */
const reading = (stream: string): string[] => [
  `$JS.API.STREAM.INFO.${stream}`,
  `$JS.API.STREAM.MSG.GET.${stream}`,
  `$JS.API.DIRECT.GET.${stream}`,
  `$JS.API.DIRECT.GET.${stream}.>`,
  `$JS.API.CONSUMER.CREATE.${stream}`,
  `$JS.API.CONSUMER.CREATE.${stream}.>`,
  `$JS.API.CONSUMER.INFO.${stream}.*`,
  `$JS.API.CONSUMER.DELETE.${stream}.*`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
  `$JS.ACK.${stream}.>`,
  `$JS.FC.${stream}.>`,
];

const USER_PUBLISHES = [
  "firm.objective",
  "firm.invoke",
  "firm.invoke.>",
  "firm.control.*.*",
  "firm.feedback.*",
  "$SRV.>",
  "$JS.API.INFO",
  "$JS.API.STREAM.NAMES",
  "$JS.API.STREAM.LIST",
  ...STATE.flatMap(reading),
];

describe("a role", () => {
  it("speaks to the gateway alone, as itself, and uses its own durable", () => {
    expect(permissionsOf("department:engineering", ROLES)).toEqual({
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

  it("has its own durable as an executive too, for board meetings", () => {
    expect(permissionsOf("cfo", ROLES)).toEqual({
      publish: [
        "firm.from.executive.cfo.>",
        "$JS.API.CONSUMER.INFO.FIRM_WORK.executive_cfo",
        "$JS.API.CONSUMER.MSG.NEXT.FIRM_WORK.executive_cfo",
        "$JS.ACK.FIRM_WORK.executive_cfo.>",
      ],
      subscribe: ["_INBOX_executive_cfo.>", "firm.to.executive.cfo.>", "firm.stop.*", "$SRV.>"],
      allowResponses: { max: 1, expires: "1h" },
    });
  });
});

it("a user asks, steers and reads", () => {
  expect(permissionsOf("user", ROLES)).toEqual({
    publish: USER_PUBLISHES,
    subscribe: ["_INBOX.>", "firm.run.>", "firm.stop.*"],
  });
});

it("the supervisor is a user that also sees how much work waits", () => {
  expect(permissionsOf("supervisor", ROLES)).toEqual({
    publish: [...USER_PUBLISHES, "$JS.API.CONSUMER.INFO.FIRM_WORK.*"],
    subscribe: ["_INBOX_supervisor.>", "firm.run.>", "firm.stop.*"],
  });
});

it("the gateway speaks to roles, writes the log, and creates nothing", () => {
  expect(permissionsOf("gateway", ROLES)).toEqual({
    publish: [
      "firm.to.>",
      "firm.work.>",
      "firm.stop.*",
      "firm.run.>",
      "firm.dlq.>",
      "_INBOX.>",
      "_INBOX_supervisor.>",
      "_INBOX_gateway.>",
      "_INBOX_ceo.>",
      "_INBOX_department_engineering.>",
      ...EXECUTIVE_ROLES.map((role) => `_INBOX_executive_${role}.>`),
      "$JS.API.INFO",
      "$JS.API.STREAM.NAMES",
      "$JS.API.STREAM.LIST",
      "$JS.API.STREAM.INFO.FIRM_OBJECTIVES",
      "$JS.API.CONSUMER.INFO.FIRM_OBJECTIVES.gateway",
      "$JS.API.CONSUMER.MSG.NEXT.FIRM_OBJECTIVES.gateway",
      "$JS.ACK.FIRM_OBJECTIVES.gateway.>",
      "$JS.API.STREAM.INFO.FIRM_WORK",
      ...["FIRM_WORK", "FIRM_OBJECTIVES"].flatMap((stream) => [
        `$JS.API.CONSUMER.INFO.${stream}.*`,
        `$JS.API.CONSUMER.LIST.${stream}`,
        `$JS.API.STREAM.MSG.GET.${stream}`,
        `$JS.API.STREAM.MSG.DELETE.${stream}`,
      ]),
      ...STATE.flatMap(reading),
      "$KV.firm-runs.>",
      "$KV.firm-sessions.>",
      "$O.firm-artifacts.>",
      "$JS.API.STREAM.PURGE.OBJ_firm-artifacts",
    ],
    subscribe: [
      "_INBOX_gateway.>",
      "firm.from.>",
      "firm.objective",
      "firm.invoke",
      "firm.invoke.>",
      "firm.control.*.*",
      "firm.feedback.*",
      "firm.run.>",
      "firm.stop.*",
      "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.>",
      "$SRV.>",
    ],
  });
});

it("the operator, who sets the bus up, may do everything", () => {
  expect(permissionsOf("operator", ROLES)).toEqual({ publish: [">"], subscribe: [">"] });
});
