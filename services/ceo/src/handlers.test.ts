// The CEO's part: the departments asked for, in merge order, merged into one deliverable; a pull request is a draft or refused.
import { workOrder } from "@firm/actor/testing";
import { Deliverable, DISCLAIMER, Result, type WorkOrder } from "@firm/protocol";
import { expect, test } from "vitest";
import { agentOf, contextOf, memoryGateway, workOn, type ChildScript } from "@firm/roles/testing";
import { ceoHandler } from "./handlers.ts";

const unused = agentOf(async function* () {
  yield { type: "text", text: "" };
  throw new Error("the CEO's merge needs no agent");
});

const root = (over: Partial<WorkOrder> = {}): WorkOrder => {
  const order = workOrder({ handoff: "root", parent: "", objective_key: "root", ...over });
  return { ...order, contract: { ...order.contract, from: "user", to: "ceo" } };
};

async function deliver(
  script: Record<string, ChildScript>,
  over: Partial<WorkOrder["objective"]> = {},
  deadline = Date.now() + 30_000,
) {
  const base = root({ deadline });
  const order = { ...base, objective: { ...base.objective, ...over } };
  const gateway = memoryGateway(order, script);
  const outcome = await ceoHandler(contextOf("ceo", unused))(workOn(order, gateway));
  if (!("deliverable" in outcome)) throw new Error("no deliverable");
  return { gateway, deliverable: Deliverable.parse(outcome.deliverable) };
}

const full = {
  output: "Summary, risks, findings with severity, next steps and recommendations",
  findings: [{ objective_key: "f", title: "t", severity: "high" as const, recommendation: "r" }],
};

test("all departments, in the order of the seed, with the disclaimer", async () => {
  const { deliverable } = await deliver({
    "department:operations": full,
    "department:quality": full,
    "department:engineering": full,
    "department:strategy": full,
  });
  expect(deliverable.departments.map(({ role }) => role)).toEqual([
    "department:strategy",
    "department:engineering",
    "department:quality",
    "department:operations",
  ]);
  expect(deliverable).toMatchObject({ run: root().run, disclaimer: DISCLAIMER });
  expect(deliverable.body).toContain(DISCLAIMER);
});

test("only the departments asked for get work", async () => {
  const { gateway } = await deliver({}, { departments: ["quality", "engineering"] });
  expect(gateway.contracts.map(({ to }) => to)).toEqual(["department:engineering", "department:quality"]);
});

test("a silent department is a timeout and an open item; delivery does not wait for it", async () => {
  const deadline = Date.now() + 400;
  const { deliverable } = await deliver({ "department:quality": "silent" }, {}, deadline);
  expect(deliverable.status).toBe("open_items");
  expect(deliverable.departments.find(({ role }) => role === "department:quality")?.status).toBe("timeout");
  expect(deliverable.open_items.join()).toContain("department:quality");
});

const pullRequest = {
  title: "API",
  body: "b",
  branch: "firm/run",
  base: "main",
  draft: true,
  labels: ["needs-review"],
  files: [],
};
const commits = [{ sha: "abc", branch: "firm/run", subject: "first" }];

test("engineering's draft is the deliverable's", async () => {
  const { deliverable } = await deliver(
    { "department:engineering": { ...full, pull_request: pullRequest, commits } },
    { delivery_format: "github_pr" },
  );
  expect(deliverable.pull_request).toEqual(pullRequest);
});

test.each([
  [{ draft: false }, "must be a draft"],
  [{ labels: [] }, "needs-review"],
  [{ branch: "main" }, "branch of its own"],
])("a pull request with %j is refused and named", async (over, reason) => {
  const { deliverable } = await deliver(
    { "department:engineering": { ...full, pull_request: { ...pullRequest, ...over } } },
    { delivery_format: "github_pr" },
  );
  expect(deliverable.pull_request).toBeUndefined();
  expect(deliverable.open_items.join("\n")).toContain(reason);
});

test("a blocker between departments goes through a joint session; unresolved twice it is reported", async () => {
  const blocked: ChildScript = {
    status: "blocked",
    blocked_by: "department:quality",
    blocker: "no test plan",
  };
  const { deliverable, gateway } = await deliver({
    "department:engineering": blocked,
    "department:engineering#1": blocked,
    "department:engineering#2": blocked,
    "department:quality#1": { summary: "plan A" },
    "department:quality#2": { summary: "plan B" },
  });
  expect(gateway.log.filter(({ event }) => event.type === "session")).toHaveLength(1);
  expect(deliverable.departments.find(({ role }) => role === "department:engineering")?.status).toBe(
    "blocked",
  );
  expect(deliverable.body).toContain("no test plan");
  expect(deliverable.open_items.join()).toContain("department:engineering");
});

test("a result that a department sends is a Result whatever it holds", () => {
  expect(Result.parse({ status: "ok", objective_key: "k", summary: "", ...full }).quality).toBe("full");
});
