// The promise: a board meeting runs its six phases in real processes, isolated where it must be, waits for the founder, and loses nothing.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  BUCKETS,
  DISCLAIMER,
  durableOf,
  HEADERS,
  parseJson,
  RunRecord,
  runKvKey,
  STREAMS,
  subjects,
  WorkOrder,
  type ControlVerb,
  type Role,
  type RunEvent,
} from "@firm/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startSystem, type FirmSystem } from "../harness/system.ts";

const ROLES: readonly Role[] = ["ceo", "cfo", "cro", "mentor"];
const QUESTION = "Should we expand to Germany in Q3?";

let system: FirmSystem;
beforeAll(async () => {
  system = await startSystem({ roles: ROLES });
});
afterAll(() => system.stop());
beforeEach(async () => {
  await system.heal();
  await system.script(SCRIPT);
});

const fenced = (block: object): string => `In words.\n\n\`\`\`json\n${JSON.stringify(block)}\n\`\`\``;
function says(stance: string, confidence = "medium", delay_ms = 0) {
  const block = {
    stance,
    recommendation: `${stance}: mind the cash`,
    key_points: ["Cash is tight", "Legal risk is low"],
    confidence,
    would_change_my_mind: "Churn above 10 %",
    assumptions: ["Churn stays flat"],
  };
  return { do: "result", delay_ms, result: { output: fenced(block) } };
}
const CRITIC = {
  do: "result",
  result: {
    output: fenced({
      unnamed_risks: ["Exchange rate"],
      out_of_domain: [{ role: "cro", point: "Legal risk is low" }],
    }),
  },
};
const SCRIPT = { ceo: [says("for")], cfo: [says("against")], cro: [says("conditional")], mentor: [CRITIC] };

const RUNWAY =
  "[RESPONSE:cfo]\nKey finding: Nine months\nSupporting data:\n  - Cash\n  - Burn\nConfidence: high\nCaveat: None\n[/RESPONSE]";

async function meet(over: object = {}, question = QUESTION): Promise<string> {
  const { run } = await system.objective({
    kind: "board",
    objective: question,
    board: { roles: ["ceo", "cfo", "cro"] },
    ...over,
  });
  return run;
}
const board = (event: RunEvent): Extract<RunEvent, { type: "board" }> | undefined =>
  event.type === "board" ? event : undefined;
/** The n-th draft of a run, once it awaits the founder. */
async function draft(run: string, nth = 1) {
  const waiting = (event: RunEvent): boolean => board(event)?.state === "awaiting-decision";
  const events = await system.events(run, (all) => all.filter(({ event }) => waiting(event)).length >= nth);
  const found = events
    .flatMap(({ event }) => board(event) ?? [])
    .filter(({ state }) => state === "awaiting-decision")[nth - 1]?.draft;
  if (found === undefined) throw new Error("no draft");
  return found;
}
async function say(run: string, verb: ControlVerb, text = ""): Promise<{ status: string }> {
  const reply = await system.user.request(
    subjects.control(run, verb),
    text === "" ? "" : JSON.stringify({ text }),
  );
  return JSON.parse(reply.text()) as { status: string };
}
async function statusOf(run: string): Promise<string | undefined> {
  const entry = await (await system.user.kv(BUCKETS.runs)).get(runKvKey(run));
  return entry === undefined ? undefined : parseJson(RunRecord, entry.text, entry.key).status;
}
async function memory(path: string): Promise<string> {
  return new TextDecoder().decode(await (await system.user.artifacts()).get(`memory/${path}`));
}
const all = (run: string) =>
  system.events(run, (seen) => seen.some(({ event }) => event.type === "finished"));

describe("a board meeting", () => {
  it("asks each role in phase 2, the mentor in phase 3, and waits with a draft that one can send", async () => {
    const run = await meet();
    const { body, open_items, assumptions } = await draft(run);
    // The record follows the log.
    await expect.poll(() => statusOf(run)).toBe("awaiting-decision");
    for (const part of [
      QUESTION,
      "| CEO | for |",
      "| CFO | against |",
      "| CRO | conditional |",
      "Risk nobody named: Exchange rate",
      "CRO left its domain",
      "## Action items",
    ])
      expect(body).toContain(part);
    expect(body.trimEnd().endsWith(DISCLAIMER)).toBe(true);
    expect(assumptions).toContain("cfo: Churn stays flat");
    expect(open_items.join("\n")).not.toContain("missing");

    expect(await say(run, "approve")).toMatchObject({ status: "running" });
    const end = await system.finished(run);
    expect(end.status).toBe("delivered");
    expect(end.deliverable?.body).toContain("## Decisions (approved)");
    const events = await all(run);
    const handed = events.flatMap(({ event }) => (event.type === "handoff" ? [event] : []));
    expect(handed.map(({ contract, phase }) => `${contract.to} ${phase}`).toSorted()).toEqual([
      "cfo 2",
      "cro 2",
      "mentor 3",
    ]);
    const critic = handed.findIndex(({ phase }) => phase === 3);
    expect(critic).toBe(2);
  });

  it("stores the transcript and the decisions, in the object store and as files, once", async () => {
    const run = await meet();
    await draft(run);
    await say(run, "approve");
    const { deliverable } = await system.finished(run);
    await expect.poll(() => memory(`board/${run}/transcript`)).toContain("## CFO");
    await expect.poll(() => memory("board/decisions")).toContain(`run ${run})`);
    const files = await readdir(join(system.directory, "board"));
    expect(files.filter((name) => name.includes(run))).toHaveLength(1);
    const decisions = await readFile(join(system.directory, "board", "decisions.md"), "utf8");
    expect(decisions.split(`run ${run})`)).toHaveLength(2);
    expect(decisions).toContain(deliverable?.decisions[0]);
  });

  it("names a role that does not answer, and goes on", async () => {
    await system.script({ ...SCRIPT, cfo: [{ do: "hang" }] });
    const run = await meet({ deadline_seconds: 5 });
    const { open_items, body } = await draft(run);
    expect(open_items.join("\n")).toContain("cfo is missing");
    expect(body).toContain("## Missing roles\n\n- CFO");
    await say(run, "cancel");
  });

  it("asks once more for the strongest argument against where everyone agrees", async () => {
    const sure = says("for", "high");
    await system.script({ ...SCRIPT, ceo: [sure], cfo: [sure, says("against", "low")], cro: [sure] });
    const run = await meet();
    const { body } = await draft(run);
    expect(body).toContain("Everyone agreed at first");
    expect(body).toContain("| CFO | against |");
    await say(run, "cancel");
  });
});

describe("isolation", () => {
  it("a phase-2 token entitles to no invocation and no session; its result counts", async () => {
    await Promise.all(system.processesOf("cfo").map((one) => one.kill("SIGKILL")));
    const cfo = await system.connectAs("cfo");
    const run = await meet();
    const order = await new Promise<WorkOrder>((resolve, reject) => {
      void cfo
        .work(STREAMS.work, durableOf("cfo"))
        .then((source) =>
          source.run({ acquire: () => Promise.resolve(true), release: () => undefined }, (delivery) => {
            const found = parseJson(WorkOrder, delivery.text(), "order");
            void delivery.ack().then(() => {
              source.stop();
              resolve(found);
            }, reject);
          }),
        )
        .catch(reject);
    });
    expect(order.phase).toBe(2);
    expect(order.history).toEqual([]);
    const ask = (verb: "invoke" | "sessions.history" | "sessions.list" | "result", body: object) =>
      cfo.request(subjects.from("cfo", verb), JSON.stringify(body), {
        headers: { [HEADERS.token]: order.token, [HEADERS.run]: run },
      });
    await expect(ask("invoke", { role: "cro", question: "Pipeline?" })).rejects.toMatchObject({
      code: "isolated-phase",
    });
    await expect(ask("sessions.history", { session: `${run}:cro` })).rejects.toMatchObject({
      code: "isolated-phase",
    });
    await expect(ask("sessions.list", { message_limit: 10 })).rejects.toMatchObject({
      code: "isolated-phase",
    });
    await ask("result", {
      status: "ok",
      objective_key: order.objective_key,
      summary: "no",
      output: "No. [ASSUMPTION: rates stay]",
    });
    const { body, assumptions } = await draft(run);
    expect(body).toContain("contribution kept as it came");
    expect(assumptions).toContain("cfo: rates stay");
    await say(run, "cancel");
  });

  it("a raw transcript is no context of a meeting", async () => {
    await expect(meet({ context_ref: "memory:board/X/transcript" })).rejects.toMatchObject({
      code: "invalid-input",
    });
  });
});

describe("the founder", () => {
  it("asks, and gets the draft again with the answer; then corrects it, and the correction is what counts", async () => {
    const run = await meet();
    await draft(run);
    await expect(say(run, "modify")).rejects.toMatchObject({ code: "invalid-input" });
    await system.script({ cfo: [{ do: "result", result: { output: RUNWAY } }] });
    await say(run, "ask", "cfo: What is the runway?");
    const again = await draft(run, 2);
    expect(again.body).toContain("## Addendum: the founder asked");
    expect(again.body).toContain("**CFO:**");
    expect(again.body).toContain("Nine months");
    await system.script({ cfo: [says("against")] });
    await say(run, "ask", "cfo: And in words that are none?");
    expect((await draft(run, 3)).body).toContain("cfo did not keep to the response format");
    await say(run, "modify", "Austria first, in Q4");
    const { deliverable } = await system.finished(run);
    expect(deliverable?.decisions).toEqual(["Founder's correction: Austria first, in Q4"]);
    await expect(say(run, "approve")).rejects.toMatchObject({ code: "run-ended" });
  });

  it("rejects, and a later meeting does not bring it up", async () => {
    const question = "Should we acquire Initech before summer?";
    const run = await meet({}, question);
    await draft(run);
    await say(run, "reject", "too dear");
    const { deliverable } = await system.finished(run);
    expect(deliverable?.decisions[0]).toContain("[DO_NOT_RESURFACE]");
    await expect.poll(() => memory("board/decisions")).toContain(`run ${run})`);
    const later = await meet({}, "Should we acquire Initech next summer?");
    const { body, decisions } = await draft(later);
    expect(decisions).toEqual([]);
    expect(body).toContain("Rejected before and not resurfaced");
    await say(later, "cancel");
  });

  it("is told what a run does not take", async () => {
    const run = await meet();
    await expect(say(run, "approve")).rejects.toMatchObject({ code: "invalid-input" });
    await draft(run);
    await expect(say(run, "pause")).rejects.toMatchObject({ code: "invalid-input" });
    await say(run, "cancel");
    expect((await system.finished(run)).status).toBe("cancelled");
  });

  it("does not answer: pending review, resumed after a restart of the gateway", async () => {
    const run = await meet({ board: { roles: ["ceo", "cfo", "cro"], decision_minutes: 0.02 } });
    await system.events(run, (seen) => seen.some(({ event }) => board(event)?.state === "pending-review"));
    await expect.poll(() => statusOf(run)).toBe("pending-review");
    await Promise.all(system.processesOf("gateway").map((one) => one.kill("SIGKILL")));
    await system.heal();
    expect(await say(run, "resume")).toMatchObject({ status: "awaiting-decision" });
    await draft(run, 2);
    await say(run, "approve");
    expect((await system.finished(run)).status).toBe("delivered");
  });
});

describe("kill -9 of everything", () => {
  async function killAll(): Promise<void> {
    const names = ["gateway", ...ROLES];
    await Promise.all([
      ...names.flatMap((name) => system.processesOf(name).map((one) => one.kill("SIGKILL"))),
      system.server.kill("SIGKILL"),
    ]);
    await system.server.start();
    await system.heal();
  }

  it("in phase 2, and again while it waits: one set of minutes, no contribution lost, nobody asked twice", async () => {
    await system.script({ ...SCRIPT, cro: [says("conditional", "medium", 1_000)] });
    const run = await meet({ deadline_seconds: 60 });
    await system.events(run, (seen) =>
      seen.some(({ event }) => event.type === "end" && event.role === "cfo"),
    );
    await killAll();
    const { body } = await draft(run);
    for (const row of ["| CEO | for |", "| CFO | against |", "| CRO | conditional |"])
      expect(body).toContain(row);
    await killAll();
    expect(await statusOf(run)).toBe("awaiting-decision");
    await say(run, "approve");
    const end = await system.finished(run);
    expect(end.status).toBe("delivered");
    const events = await all(run);
    const count = (type: RunEvent["type"]): number =>
      events.filter(({ event }) => event.type === type).length;
    expect(count("finished")).toBe(1);
    expect(count("handoff")).toBe(3);
    expect(events.filter(({ event }) => board(event) !== undefined)).toHaveLength(1);
    const files = await readdir(join(system.directory, "board"));
    expect(files.filter((name) => name.includes(run))).toHaveLength(1);
  });
});
