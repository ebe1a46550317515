// The promise: whatever agents write, no execution contains a self-call, a depth over 2 or a cycle, and every question has exactly one end.
import { INVOCABLE_ROLES, INVOCATION_OUTCOMES, type InvocationItem } from "@firm/protocol";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { answerOf, askRole } from "../harness/questions.ts";
import { startSystem, type FirmSystem } from "../harness/system.ts";

/** Whoever else is asked is not there. */
const SERVED = ["cfo", "cro", "coo", "chro"] as const;
/** Seconds for one question: hanging agents end with it. */
const DEADLINE = 1.5;

let system: FirmSystem;
beforeAll(async () => {
  system = await startSystem({
    yaml: "agents: { default: scripted }\nworker: { concurrency: 1 }\n",
    roles: [...SERVED],
  });
});
afterAll(() => system.stop());

const said = (output: string) => ({ do: "result", result: { output } });

/** What an agent may ask for: colleagues, itself, who is not there, and who is nobody. */
const asked = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom<string>(...SERVED) },
  { weight: 1, arbitrary: fc.constantFrom("mentor", "janitor", "CFO", "ceo") },
);
/** One turn's text: questions that speak, and some that are only quoted. */
const turn = fc
  .array(
    fc.tuple(asked, fc.constantFrom("", "> ", "    ", "`", "[RESPONSE:cfo]\nKey finding: "), fc.nat(99)),
    { maxLength: 3 },
  )
  .map((parts) => parts.map(([role, lead, n]) => `${lead}[INVOKE:${role}|Question ${n}?]`).join("\n\n"));
const end = (role: string) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(said(answerOf(role))) },
    { weight: 1, arbitrary: fc.constant(said("no envelope at all")) },
    { weight: 1, arbitrary: fc.constant(said(answerOf("ciso"))) },
    { weight: 1, arbitrary: fc.constant({ do: "hang" }) },
    { weight: 1, arbitrary: fc.constant({ do: "fail" }) },
  );
const behaviour = (role: string) =>
  fc.tuple(fc.array(turn, { maxLength: 3 }), end(role)).map(([turns, last]) => [...turns.map(said), last]);
const graph = fc.record({
  first: fc.constantFrom(...SERVED),
  script: fc.record({
    cfo: behaviour("cfo"),
    cro: behaviour("cro"),
    coo: behaviour("coo"),
    chro: behaviour("chro"),
  }),
});

let count = 0;

it("holds for random graphs and adversarial agents", async () => {
  await fc.assert(
    fc.asyncProperty(graph, async ({ first, script }) => {
      await system.script(script);
      const user = await askRole(system, first, `Graph ${++count}?`, { deadline_seconds: DEADLINE });
      await user.reply;
      holds(await user.items());
    }),
    { numRuns: 40, endOnFailure: true },
  );
});

it("holds for many at once, each against the others' slots", async () => {
  const graphs = fc.sample(graph, 30);
  await system.script(graphs[0]?.script ?? {});
  const users = await Promise.all(
    graphs.map(({ first }) => askRole(system, first, `At once ${++count}?`, { deadline_seconds: 5 })),
  );
  for (const user of users) {
    await user.reply;
    holds(await user.items());
  }
});

function holds(items: readonly InvocationItem[]): void {
  const questions = items.filter((item) => item.state === "asked");
  const ends = items.filter((item) => item.state === "ended");
  expect(ends.map(({ id }) => id).toSorted()).toEqual(questions.map(({ id }) => id).toSorted());
  for (const { id, chain, role } of questions) {
    const outcome = ends.find((item) => item.id === id)?.outcome;
    expect(INVOCATION_OUTCOMES).toContain(outcome);
    const isForbidden =
      new Set(chain).size < chain.length ||
      chain.length > 3 ||
      !INVOCABLE_ROLES.some((known) => known === role);
    expect([chain, outcome === "blocked"]).toEqual([chain, isForbidden]);
  }
}
