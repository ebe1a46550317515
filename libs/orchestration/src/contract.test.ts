import { FirmError, HandoffContract, parseWith } from "@firm/protocol";
import { describe, expect, test } from "vitest";
import {
  contractFor,
  defaultDefinitionOfDone,
  objectiveKeyFor,
  planTargets,
  resolveContract,
  withConstraint,
} from "./contract.ts";
import { CEO_CONTRACT, ENGINEERING, objectiveOf, OPERATIONS, QUALITY, STRATEGY } from "./testing/fixtures.ts";

const valid = (contract: HandoffContract) => parseWith(HandoffContract, contract, "contract");

describe("the contract handed down", () => {
  test("the seed's fields: the user's words and constraints stay, sender and receiver follow the edge", () => {
    const contract = contractFor({ contract: CEO_CONTRACT, objective: objectiveOf() }, ENGINEERING, "");
    expect(valid(contract)).toEqual({
      from: "ceo",
      to: ENGINEERING,
      objective: "Build a payment API",
      constraints: ["read-only access only"],
      definition_of_done: "Summary, findings and recommendations",
      context_ref: "memory:delivery/latest",
      reply_session: "main",
    });
  });

  test("the user's definition of done goes down as it is", () => {
    const objective = objectiveOf({ definition_of_done: "Security report with CVSS scores" });
    expect(contractFor({ contract: CEO_CONTRACT, objective }, QUALITY, "").definition_of_done).toBe(
      "Security report with CVSS scores",
    );
  });

  test("a role's expertise replaces its superior's", () => {
    const department = contractFor(
      { contract: CEO_CONTRACT, objective: objectiveOf() },
      ENGINEERING,
      "software",
    );
    const service = contractFor(
      { contract: department, objective: objectiveOf() },
      "service:backend",
      "APIs",
    );
    expect(department.constraints).toEqual(["read-only access only", "scope: software"]);
    expect(service).toMatchObject({
      from: ENGINEERING,
      constraints: ["read-only access only", "scope: APIs"],
    });
  });

  test("below a resolve_blocker contract its own definition of done stays", () => {
    const contract = valid(resolveContract(CEO_CONTRACT, ENGINEERING, QUALITY, "which tests?"));
    expect(contract).toMatchObject({
      from: "ceo",
      to: QUALITY,
      objective: "resolve_blocker: department:engineering is blocked by department:quality: which tests?",
    });
    const objective = objectiveOf({ definition_of_done: "Security report" });
    expect(contractFor({ contract, objective }, "service:testing", "").definition_of_done).toBe(
      contract.definition_of_done,
    );
  });

  test.each([
    "ceo",
    STRATEGY,
    ENGINEERING,
    QUALITY,
    OPERATIONS,
    "department:legal",
    "service:backend",
    "employee:auditor",
    "cfo",
  ])("%s has a default definition of done", (role) => {
    expect(defaultDefinitionOfDone(role)).toMatch(/^Summary/);
  });
});

describe("limits", () => {
  test("a constraint too many or too long still gives a valid contract and loses no constraint of the user", () => {
    const full = { ...CEO_CONTRACT, constraints: Array.from({ length: 50 }, (_, i) => `c${i}`) };
    const more = valid(withConstraint(full, "x".repeat(5_000)));
    expect(more.constraints).toEqual(full.constraints);
    expect(more.objective).toMatch(/^Build a payment API\n\nx{1999}…$/);
    expect(valid(withConstraint(CEO_CONTRACT, "y".repeat(5_000))).constraints[1]).toHaveLength(2_000);
    expect(
      valid(withConstraint({ ...full, objective: "o".repeat(32_768) }, "the resolution")).objective,
    ).toMatch(/o\n\nthe resolution$/);
  });

  test("keys of siblings differ, and stay within what the schema holds", () => {
    expect(objectiveKeyFor("pay", ENGINEERING)).toBe("pay/engineering");
    const long = "k".repeat(190);
    const keys = [STRATEGY, ENGINEERING, QUALITY, OPERATIONS].map((role) => objectiveKeyFor(long, role));
    expect(new Set(keys).size).toBe(4);
    expect(Math.max(...keys.map((key) => key.length))).toBeLessThanOrEqual(200);
  });
});

describe("targets", () => {
  const chart = { departments: [STRATEGY, ENGINEERING, QUALITY, OPERATIONS] };
  test("all by default; the named ones once, in the chart's order", () => {
    expect(planTargets({}, chart)).toEqual(chart.departments);
    expect(planTargets({ departments: ["quality", "engineering", "quality"] }, chart)).toEqual([
      ENGINEERING,
      QUALITY,
    ]);
  });

  test("an unknown department is named with its place and with those that are known", () => {
    const plan = () => planTargets({ departments: ["quality", "legal"] }, chart);
    expect(plan).toThrow(FirmError);
    expect(plan).toThrow(
      'departments.1: there is no department "legal"; known: strategy, engineering, quality, operations',
    );
    expect(plan).toThrow(expect.objectContaining({ code: "invalid-input", field: "departments.1" }));
  });
});
