// The promise: executives ask one another as separate processes, and the seed's rules hold whatever they write (seed: agent-protocol).
import { FirmError, subjects } from "@firm/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answerOf, askAsUser, askRole, endsOf } from "../harness/questions.ts";
import { startSystem, type FirmSystem } from "../harness/system.ts";

/** One slot each: what waits for another role must not hold it. */
const YAML = `
agents: { default: scripted }
worker: { concurrency: 1 }
departments:
  - { name: engineering, services: [{ name: backend, employees: [{ name: implementer }] }] }
`;
const PYRAMID = ["ceo", "department:engineering", "service:backend", "employee:implementer"];

let system: FirmSystem;
beforeAll(async () => {
  system = await startSystem({ yaml: YAML, roles: [...PYRAMID, "cfo", "cro", "coo", "chro", "cmo"] });
});
afterAll(() => system.stop());
beforeEach(() => system.script({}));

const say = (output: string, delay_ms = 0) => ({ do: "result", delay_ms, result: { output } });
let count = 0;
/** Questions that no other test asks. */
const mark = (text: string): string => `${text} (${++count})`;

describe("asking", () => {
  it("the envelope on firm.invoke and the bare question on firm.invoke.<role> get the role's own words", async () => {
    await system.script({ cfo: [say(answerOf("cfo", "Nine months."))] });
    const question = mark("What's the burn rate impact of hiring 5 engineers in Q3?");
    const one = await askAsUser(system, subjects.invoke(), `[INVOKE:cfo|${question}]`, question);
    expect(await one.reply).toBe(answerOf("cfo", "Nine months."));
    const two = await askRole(system, "cfo", mark("How long is the runway?"));
    expect(await two.reply).toBe(answerOf("cfo", "Nine months."));
    expect(await two.finished()).toMatchObject({
      status: "delivered",
      answer: answerOf("cfo", "Nine months."),
    });
    expect(await two.items()).toMatchObject([
      { state: "asked", role: "cfo", chain: ["cfo"] },
      { state: "ended", outcome: "answered" },
    ]);
  });

  it("a question to nobody is refused with the valid roles, before there is a run", async () => {
    const nobody = system.user.request(subjects.invoke("cto2"), "Hello?");
    await expect(nobody).rejects.toMatchObject({
      code: "unknown-role",
      message: expect.stringContaining("chro"),
    });
    await expect(system.user.request(subjects.invoke(), "Hello?")).rejects.toMatchObject({
      code: "invalid-input",
    });
  });

  it("two questions in one output go out together", async () => {
    await system.script({
      cro: [say("[INVOKE:cfo|Runway?]\n\n[INVOKE:cmo|Leads?]"), say(answerOf("cro", "Both heard."))],
      cfo: [say(answerOf("cfo", "Long."), 400)],
      cmo: [say(answerOf("cmo", "Many."), 400)],
    });
    const asked = await askRole(system, "cro", mark("Both?"));
    expect(await asked.reply).toBe(answerOf("cro", "Both heard."));
    const states = (await asked.items()).map(({ state, role }) => `${state} ${role}`);
    expect(states.slice(0, 3).toSorted()).toEqual(["asked cfo", "asked cmo", "asked cro"]);
    expect(states.slice(3).toSorted()).toEqual(["ended cfo", "ended cmo", "ended cro"]);
  });

  it("what stands in code, in a quotation, or in the question itself asks nobody", async () => {
    const text = [
      answerOf("cro", "Quoted."),
      "```\n[INVOKE:cfo|from a fence]\n```",
      "> [INVOKE:cmo|from a quotation]",
      "As you wrote: [INVOKE:coo|what you said]",
    ].join("\n\n");
    await system.script({ cro: [say(text)] });
    const asked = await askRole(system, "cro", mark("Repeat [INVOKE:coo|what you said] to me"));
    expect(await asked.reply).toBe(text);
    expect((await asked.items()).map(({ role }) => role)).toEqual(["cro", "cro"]);
  });
});

describe("a question that cannot be read", () => {
  it("goes back to its agent once, with the reason, and is asked when it is said right", async () => {
    await system.script({
      cro: [say("[INVOKE:finance|Runway?]"), say("[INVOKE:cfo|Runway?]"), say(answerOf("cro", "Heard."))],
      cfo: [say(answerOf("cfo", "Long."))],
    });
    const asked = await askRole(system, "cro", mark("Broken?"));
    expect(await asked.reply).toBe(answerOf("cro", "Heard."));
    expect((await asked.items()).map(({ role }) => role)).toEqual(["cro", "cfo", "cfo", "cro"]);
  });

  it("twice broken, its agent goes on without it", async () => {
    await system.script({
      cro: [say("[INVOKE:finance|Runway?]"), say(`${answerOf("cro", "Alone.")}\n\n[INVOKE:cfo]`)],
    });
    const asked = await askRole(system, "cro", mark("Broken again?"));
    expect(await asked.reply).toContain("Alone.");
    expect((await asked.items()).map(({ role }) => role)).toEqual(["cro", "cro"]);
  });
});

describe("the rules", () => {
  it("no circular call, in the seed's words; what is assumed instead stands in the answer and in the log", async () => {
    const blocked = "[BLOCKED: cannot invoke cfo — circular call detected in chain cro→cfo]";
    const final = `${blocked}\nState assumption used instead: [burn stays at $280K]\n\n${answerOf("cfo", "Nine months.")}`;
    await system.script({
      cro: [say("[INVOKE:cfo|What does it cost?]"), say(answerOf("cro", "It costs."))],
      cfo: [say("[INVOKE:cfo|And me?]\n[INVOKE:cro|And you?]"), say(final)],
    });
    const asked = await askRole(system, "cro", mark("Circular?"));
    expect(await asked.reply).toBe(answerOf("cro", "It costs."));
    const items = await asked.items();
    expect(endsOf(items, "cfo")).toMatchObject([
      { outcome: "blocked", reason: blocked },
      { outcome: "answered", text: final },
    ]);
    expect(endsOf(items, "cro")[0]).toMatchObject({
      outcome: "blocked",
      reason: "[BLOCKED: cannot invoke cro — circular call detected in chain cro→cfo]",
    });
    expect(items.filter(({ state }) => state === "assumed")).toMatchObject([
      { role: "cfo", assumption: "burn stays at $280K" },
    ]);
  });

  it("no self-invocation", async () => {
    await system.script({ cfo: [say("[INVOKE:cfo|Me?]"), say(answerOf("cfo", "Alone."))] });
    const asked = await askRole(system, "cfo", mark("Self?"));
    expect(await asked.reply).toBe(answerOf("cfo", "Alone."));
    const items = await asked.items();
    expect(endsOf(items, "cfo")[0]).toMatchObject({
      outcome: "blocked",
      reason: expect.stringMatching(/^\[BLOCKED: cannot invoke cfo — self-invocation/),
    });
    // It went on without saying on what: the log says so all the same.
    expect(items.filter(({ state }) => state === "assumed")).toMatchObject([
      { role: "cfo", assumption: expect.stringContaining('no answer from cfo to "Me?"') },
    ]);
  });

  it("two hops pass, the third is blocked", async () => {
    await system.script({
      cro: [say("[INVOKE:cfo|Cost?]"), say(answerOf("cro", "Done."))],
      cfo: [say("[INVOKE:coo|Capacity?]"), say(answerOf("cfo", "Dear."))],
      coo: [
        say("[INVOKE:chro|Time to hire?]"),
        say(`${answerOf("coo", "Enough.")}\n[ASSUMPTION: hiring takes 60 days]`),
      ],
    });
    const asked = await askRole(system, "cro", mark("Deep?"));
    expect(await asked.reply).toBe(answerOf("cro", "Done."));
    const items = await asked.items();
    expect(items.filter((item) => item.state === "asked").map((item) => item.chain.join("→"))).toEqual([
      "cro",
      "cro→cfo",
      "cro→cfo→coo",
      "cro→cfo→coo→chro",
    ]);
    expect(endsOf(items, "chro")).toMatchObject([
      {
        outcome: "blocked",
        reason: "[BLOCKED: cannot invoke chro — maximum depth 2 reached in chain cro→cfo→coo]",
      },
    ]);
    expect(items.filter(({ state }) => state === "assumed")).toMatchObject([
      { role: "coo", assumption: "hiring takes 60 days" },
    ]);
  });

  it("an answer that is none goes back once with the complaint; said right, it counts", async () => {
    await system.script({ cfo: [say("Nine months, I think."), say(answerOf("cfo", "Nine months."))] });
    const asked = await askRole(system, "cfo", mark("Formless?"));
    expect(await asked.reply).toBe(answerOf("cfo", "Nine months."));
  });

  it("wrong twice, it is an error, and the log keeps the raw text; so do questions without end", async () => {
    for (const text of [
      "Nine months, I think.",
      "[INVOKE:coo|And again?]",
      answerOf("coo", "In another's name."),
    ]) {
      await system.script({ cfo: [say(text)], coo: [say(answerOf("coo", "Again."))] });
      const asked = await askRole(system, "cfo", mark("Malformed?"));
      expect(await asked.reply).toMatchObject({ code: "agent-failed" });
      expect(await asked.finished()).toMatchObject({ status: "failed" });
      expect(endsOf(await asked.items(), "cfo")).toMatchObject([{ outcome: "failed", text }]);
    }
  });

  it("two chains that wait on each other's roles, one slot each, both finish", async () => {
    await system.script({
      cfo: [say("[INVOKE:coo|And you?]", 50), say(answerOf("cfo", "Fine."))],
      coo: [say("[INVOKE:cfo|And you?]", 50), say(answerOf("coo", "Fine."))],
    });
    const pairs = Array.from({ length: 5 }, () => [
      askRole(system, "cfo", mark("Crossing from the CFO?")),
      askRole(system, "coo", mark("Crossing from the COO?")),
    ]).flat();
    const replies = await Promise.all((await Promise.all(pairs)).map(({ reply }) => reply));
    expect(replies).toEqual(
      Array.from({ length: 5 }, () => [answerOf("cfo", "Fine."), answerOf("coo", "Fine.")]).flat(),
    );
  });
});

describe("ends", () => {
  it("by the deadline: the asker goes on in time where only the colleague hangs", async () => {
    await system.script({
      cro: [say("[INVOKE:cfo|Are you there?]"), say(answerOf("cro", "Nobody there."))],
      cfo: [{ do: "hang" }],
    });
    const asked = await askRole(system, "cro", mark("Waiting?"), { deadline_seconds: 3 });
    expect(await asked.reply).toBe(answerOf("cro", "Nobody there."));
    const items = await asked.items();
    expect(endsOf(items, "cfo")).toMatchObject([{ outcome: "timeout" }]);
    expect(items.filter(({ state }) => state === "assumed")).toHaveLength(1);
    const late = await askRole(system, "cfo", mark("Hanging?"), { deadline_seconds: 0.5 });
    expect(await late.reply).toBeInstanceOf(FirmError);
    expect(endsOf(await late.items(), "cfo")).toMatchObject([{ outcome: "timeout" }]);
    expect(await late.finished()).toMatchObject({ status: "timeout" });
  });

  it("by a cancel: every open question of the run, at every depth", async () => {
    await system.script({ cro: [say("[INVOKE:cfo|Are you there?]")], cfo: [{ do: "hang" }] });
    const asked = await askRole(system, "cro", mark("Cancelled?"));
    await system.events(asked.run, (events) =>
      events.some(
        ({ event }) =>
          event.type === "invocations" &&
          event.items.some((item) => item.state === "asked" && item.role === "cfo"),
      ),
    );
    await system.user.request(subjects.control(asked.run, "cancel"), "");
    expect(await asked.reply).toMatchObject({ code: expect.stringMatching(/^run-(?:cancelled|ended)$/) });
    expect(await asked.finished()).toMatchObject({ status: "cancelled" });
    const items = await asked.items();
    expect([...endsOf(items, "cro"), ...endsOf(items, "cfo")].map(({ outcome }) => outcome)).toEqual([
      "cancelled",
      "cancelled",
    ]);
  });
});

describe("the pyramid", () => {
  it("any role asks the C-suite by text; a refusal becomes an assumption of the run's report", async () => {
    await system.script({
      "employee:implementer": [
        say("[INVOKE:cfo|What may it cost?]\n[INVOKE:ceo|May I?]"),
        say("Built within the budget.\n\n[ASSUMPTION: the CEO agrees]\n\nRisks: none. Next steps: none."),
      ],
      cfo: [say(answerOf("cfo", "Ten thousand."))],
    });
    const { run } = await system.objective({ objective: "Build a payment API" });
    const end = await system.finished(run);
    expect(end.deliverable?.assumptions.join("\n")).toContain("the CEO agrees");
    const items = (
      await system.events(run, (all) => all.some(({ event }) => event.type === "finished"))
    ).flatMap(({ event }) => (event.type === "invocations" ? event.items : []));
    expect(endsOf(items, "cfo")).toMatchObject([{ outcome: "answered" }]);
    expect(endsOf(items, "ceo")).toMatchObject([
      {
        outcome: "blocked",
        reason:
          "[BLOCKED: cannot invoke ceo — circular call detected in chain ceo→department:engineering→service:backend→employee:implementer]",
      },
    ]);
  });
});
