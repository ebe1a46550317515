// The promise: an objective goes down the pyramid in real processes, and one merged deliverable comes back, whatever a department does.
import { DISCLAIMER, subjects, type RunEvent } from "@firm/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startSystem, type FirmSystem } from "../harness/system.ts";

let system: FirmSystem;
beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system.stop());
beforeEach(async () => {
  await system.heal();
  await system.script({});
});

const department = (name: string): string => `department:${name}`;
function only<T extends RunEvent["type"]>(
  events: readonly { event: RunEvent }[],
  type: T,
): Extract<RunEvent, { type: T }>[] {
  return events
    .map(({ event }) => event)
    .filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);
}

describe("the pyramid", () => {
  it("delivers all four departments in merge order, each handoff with the full contract and one end", async () => {
    const { run } = await system.objective({
      objective: "Build a payment API",
      constraints: ["no production changes"],
    });
    const end = await system.finished(run);
    expect(end.status).toBe("delivered");
    expect(end.deliverable?.open_items).toEqual([]);
    expect(end.deliverable?.status).toBe("complete");
    expect(end.deliverable?.departments.map(({ role }) => role)).toEqual(
      ["strategy", "engineering", "quality", "operations"].map(department),
    );
    expect(end.deliverable?.body.trimEnd().endsWith(DISCLAIMER)).toBe(true);

    const events = await system.events(run, (all) => all.some(({ event }) => event.type === "finished"));
    const handoffs = only(events, "handoff");
    const ends = only(events, "end");
    expect(handoffs).toHaveLength(12);
    expect(new Set(ends.map(({ handoff }) => handoff)).size).toBe(12);
    expect(ends).toHaveLength(12);
    expect(handoffs.filter(({ spawned }) => spawned)).toHaveLength(12);
    for (const { contract } of handoffs) {
      expect(Object.keys(contract).toSorted()).toEqual([
        "constraints",
        "context_ref",
        "definition_of_done",
        "from",
        "objective",
        "reply_session",
        "to",
      ]);
      expect(contract.reply_session).toBe("main");
      expect(contract.constraints).toContain("no production changes");
    }
    // Fan-out: no department's end stands before the last department's handoff.
    const lastDispatch = Math.max(
      ...events
        .filter(({ event }) => event.type === "handoff" && event.contract.from === "ceo")
        .map(({ seq }) => seq),
    );
    const firstEnd = Math.min(
      ...events
        .filter(({ event }) => event.type === "end" && event.role.startsWith("department:"))
        .map(({ seq }) => seq),
    );
    expect(lastDispatch).toBeLessThan(firstEnd);
  });

  it("ends at the deadline with the departments that are there; the missing one is a timeout and an open item, its checkpoint kept", async () => {
    await system.script({
      "employee:auditor": [{ do: "checkpoint-hang", output: "half an audit", summary: "half" }],
    });
    const { run, deadline } = await system.objective({ objective: "Audit", deadline_seconds: 4 });
    const end = await system.finished(run);
    expect(end.status).toBe("delivered");
    expect(end.at).toBeLessThanOrEqual(deadline);
    const outcome = Object.fromEntries(
      end.deliverable?.departments.map(({ role, status }) => [role, status]) ?? [],
    );
    expect(outcome[department("strategy")]).toBe("ok");
    expect(["partial", "timeout"]).toContain(outcome[department("quality")]);
    expect(end.deliverable?.status).toBe("open_items");
    expect(end.deliverable?.open_items.join("\n")).toContain("quality");
    const events = await system.events(run, (all) => all.some(({ event }) => event.type === "finished"));
    const audit = only(events, "end").find(({ role }) => role === "employee:auditor");
    // Who is slower at its margin, worker or gateway, sends it as partial or ends it; what was done is kept by either.
    expect(["partial", "timeout"]).toContain(audit?.status);
    expect(audit).toMatchObject({ result: { output: "half an audit" } });
  });

  it("lets two departments resolve a blocker in a joint session, then goes on", async () => {
    await system.script({
      [department("engineering")]: [
        { do: "blocked", by: department("quality"), reason: "no test plan" },
        { do: "result", result: { output: "built", summary: "built" } },
      ],
      [`${department("quality")}#resolve_blocker`]: [
        { do: "result", result: { summary: "use the smoke suite", output: "use the smoke suite" } },
      ],
    });
    const { run } = await system.objective({ objective: "Build" });
    const events = await system.events(run, (all) => all.some(({ event }) => event.type === "finished"));
    const [joint] = only(events, "session");
    expect(joint?.participants.toSorted()).toEqual([department("engineering"), department("quality")]);
    const again = only(events, "handoff").filter(
      ({ contract, cycle }) => contract.to === department("engineering") && cycle === 1,
    );
    expect(again).toHaveLength(1);
    expect(again[0]?.contract.constraints.join("\n")).toContain("use the smoke suite");
    const [end] = only(events, "finished");
    expect(end?.deliverable?.departments.find(({ role }) => role === department("engineering"))?.status).toBe(
      "ok",
    );
  });

  it("escalates a blocker that stands after two cycles, with an explicit report", async () => {
    await system.script({
      [department("engineering")]: [{ do: "blocked", by: department("quality"), reason: "no test plan" }],
    });
    const { run } = await system.objective({ objective: "Build" });
    const events = await system.events(run, (all) => all.some(({ event }) => event.type === "finished"));
    const cycles = only(events, "handoff")
      .filter(({ contract }) => contract.to === department("engineering"))
      .map(({ cycle }) => cycle);
    expect(cycles).toEqual([0, 1, 2]);
    const [end] = only(events, "finished");
    expect(end?.deliverable?.departments.find(({ role }) => role === department("engineering"))?.status).toBe(
      "blocked",
    );
    expect(end?.deliverable?.open_items.join("\n")).toContain("no test plan");
  });

  it("flags what does not meet its definition of done, and drops nothing", async () => {
    await system.script({ "*": [{ do: "result", result: { output: "a note", summary: "a note" } }] });
    const { run } = await system.objective({
      objective: "Audit",
      departments: ["quality"],
      definition_of_done: "Security report with CVSS scores and fix recommendations",
    });
    const { deliverable } = await system.finished(run);
    expect(deliverable?.departments[0]?.quality).toBe("partial");
    expect(deliverable?.body).toContain("a note");
  });

  it("cancels down to the leaves: workers stop, nothing further is accepted, the run ends as cancelled", async () => {
    await system.script({ "employee:implementer": [{ do: "hang" }] });
    const { run } = await system.objective({ objective: "Build", departments: ["engineering"] });
    await system.events(run, (all) =>
      all.some(({ event }) => event.type === "handoff" && event.contract.to === "employee:implementer"),
    );
    const reply = await system.user.request(subjects.control(run, "cancel"), "");
    expect(JSON.parse(reply.text())).toMatchObject({ run, status: "cancelled" });
    const end = await system.finished(run);
    expect(end.status).toBe("cancelled");
    await expect(system.user.request(subjects.control(run, "cancel"), "")).resolves.toBeDefined();
    const { run: next } = await system.objective({ objective: "Build", departments: ["quality"] });
    expect((await system.finished(next)).status).toBe("delivered");
  });

  it("gives a run the last delivery by its memory reference, and refuses a reference that names nothing", async () => {
    const first = await system.objective({ objective: "first" });
    await system.finished(first.run);
    const second = await system.objective({ objective: "second", context_ref: "memory:delivery/latest" });
    expect((await system.finished(second.run)).status).toBe("delivered");
    await expect(
      system.objective({ objective: "x", context_ref: "memory:nothing/here" }),
    ).rejects.toMatchObject({ code: "unknown-context" });
  });

  it("refuses bad objectives at once, naming the field", async () => {
    const cases: [string, string][] = [
      ['{"objective":""}', "objective"],
      ['{"objective":"x","departments":["nowhere"]}', "departments.0"],
      ['{"objective":"x","deadline_seconds":"soon"}', "deadline_seconds"],
      ['{"objective":"x","budgett":{}}', "budgett"],
      ["{not json", "objective"],
      ["@firm-orchestration stop", "objective"],
    ];
    for (const [body, field] of cases)
      await expect(system.objective(body)).rejects.toMatchObject({ code: "invalid-input", field });
  });

  it("accepts the skill's own block and plain text", async () => {
    const block =
      '@firm-orchestration run\n  objective: "Build a payment API"\n  departments: ["engineering", "quality"]\n  delivery_format: "json"\n';
    const { run } = await system.objective(block);
    const { deliverable } = await system.finished(run);
    expect(deliverable?.format).toBe("json");
    expect(deliverable?.departments.map(({ role }) => role)).toEqual([
      department("engineering"),
      department("quality"),
    ]);
    const { run: plain } = await system.objective("Build a payment API");
    expect((await system.finished(plain)).deliverable?.departments).toHaveLength(4);
  });
});
