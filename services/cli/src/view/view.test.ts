// Holds what those who watch a run see: the fold of its events, the tree, the lines.
import type { InvocationItem, RunEvent } from "@firm/protocol";
import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { chainText } from "./chain.ts";
import { eventLines } from "./lines.ts";
import { NO_RUN, withEvent, type RunView } from "./run-view.ts";
import { duration, oneLine, table } from "./text.ts";
import { renderTree } from "./tree.ts";

const RUN = "01KDVDNA002R4M97KSPSMVY0R6";
const T = 1_000_000;
const base = { run: RUN };
const accepted: RunEvent = {
  ...base,
  type: "accepted",
  at: T,
  objective: {
    objective: "Audit this repository",
    constraints: [],
    delivery_format: "markdown_report",
    reply_session: "main",
    allow_run: false,
    deadline_seconds: 30,
    budget: {},
  },
  objective_seq: 1,
  objective_digest: "d",
  deadline: T + 30_000,
  roles: ["ceo"],
};
const handoff = (id: string, parent: string, to: string, at = T + 100, cycle = 0): RunEvent => ({
  ...base,
  type: "handoff",
  at,
  handoff: id,
  parent,
  contract: {
    from: "ceo",
    to,
    objective: "o",
    constraints: [],
    definition_of_done: "d",
    context_ref: "memory:delivery/latest",
    reply_session: "main",
  },
  objective_key: "k",
  cycle,
  session: "s",
  spawned: true,
  deadline: T + 28_000,
});
const started = (id: string, role: string, attempt = 1): RunEvent => ({
  ...base,
  type: "started",
  at: T + 200,
  handoff: id,
  role,
  attempt,
  worker: "host/1",
});
const end = (id: string, role: string, status: "ok" | "timeout", reason?: string): RunEvent => ({
  ...base,
  type: "end",
  at: T + 2_500,
  handoff: id,
  parent: "root",
  role,
  attempt: 1,
  status,
  ...(reason !== undefined && { reason }),
});
const fold = (...events: RunEvent[]): RunView => events.reduce(withEvent, NO_RUN);
const story = [
  accepted,
  started("root", "ceo"),
  handoff("a", "root", "department:strategy"),
  handoff("b", "root", "department:engineering"),
  handoff("c", "a", "service:planning"),
  started("a", "department:strategy"),
  started("c", "service:planning", 2),
  end("b", "department:engineering", "timeout", "nothing came"),
];

describe("the tree", () => {
  const plain = { now: T + 3_000, width: 100, color: false };

  it("shows each role under its superior with state, elapsed time and deadline", () => {
    expect(renderTree(fold(...story), plain).split("\n")).toEqual([
      "Audit this repository  3.0s, 27s left",
      "⠋ ceo  working 3.0s of 30s",
      "├─ ⠋ department:strategy  working 2.9s of 27s",
      "│  └─ ⠋ service:planning (attempt 2)  working 2.9s of 27s",
      "└─ ⏱ department:engineering  timeout 2.4s  nothing came",
    ]);
  });

  it("keeps a handoff's one end, whatever comes later", () => {
    const late = fold(
      ...story,
      started("b", "department:engineering"),
      end("b", "department:engineering", "ok"),
    );
    expect(late.nodes.get("b")?.status).toBe("timeout");
  });

  it("ends with the run", () => {
    const view = fold(...story, {
      ...base,
      type: "finished",
      at: T + 4_000,
      status: "cancelled",
      reason: "by the user",
    });
    expect(view.finished?.status).toBe("cancelled");
    expect(renderTree(view, plain)).toContain("⊘ ceo  cancelled 4.0s  by the user");
  });

  it("never exceeds the terminal, and lets no text move the cursor", () => {
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 200 }), fc.string({ unit: "binary" }), (width, words) => {
        const view = fold(...story.slice(0, -1), end("b", "department:engineering", "ok", words));
        for (const line of renderTree(view, { ...plain, width }).split("\n")) {
          expect(stringWidth(line)).toBeLessThanOrEqual(width);
          expect(line).not.toMatch(/\p{Cc}/u);
        }
      }),
    );
  });
});

describe("plain lines", () => {
  it.each([
    [accepted, `  +0.0s  run ${RUN} accepted, 30s to go: Audit this repository`],
    [handoff("x", "root", "department:quality", T + 100, 1), "  +0.1s  ceo → department:quality (again 1)"],
    [started("a", "department:strategy"), undefined],
    [started("a", "department:strategy", 2), "  +0.2s  department:strategy works (attempt 2)"],
    [end("a", "department:strategy", "ok"), "  +2.5s  department:strategy ok after 2.4s"],
    [
      { ...base, type: "control", at: T + 1_000, verb: "cancel", reason: "no" } satisfies RunEvent,
      "  +1.0s  cancel: no",
    ],
    [
      { ...base, type: "finished", at: T + 3_000, status: "failed", reason: "why\nnot" } satisfies RunEvent,
      "  +3.0s  run failed: why not",
    ],
  ])("%#", (event, line) => {
    expect(eventLines(fold(...story), event)[0]).toBe(line);
  });
});

describe("small texts", () => {
  it.each([
    [-5, "0.0s"],
    [999, "1.0s"],
    [12_400, "12s"],
    [185_000, "3m05s"],
    [3_660_000, "1h01m"],
  ])("%i ms is %s", (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it("cuts by columns, and no character in half", () => {
    expect(oneLine("a\tb\nc", 9)).toBe("a b c");
    expect(oneLine("😀😀😀😀", 5)).toBe("😀😀…");
  });

  it("aligns a table", () => {
    expect(
      table([
        ["A", "B"],
        ["long", "x"],
      ]),
    ).toBe("A     B\nlong  x");
  });
});

describe("a question", () => {
  const asked = (id: string, chain: string[], question: string, at: number): InvocationItem => ({
    state: "asked",
    id,
    at,
    role: chain.at(-1) ?? "",
    chain,
    question,
    handoff: "root",
    phase: 0,
  });
  const said = (role: string, finding: string): string =>
    `[RESPONSE:${role}]\nKey finding: ${finding}\nSupporting data:\n  - a\n  - b\nConfidence: high\nCaveat: c\n[/RESPONSE]`;
  const blocked = "[BLOCKED: cannot invoke cro — circular call detected in chain cro→cfo]";
  const ask: RunEvent = { ...accepted, kind: "ask" };
  const items: InvocationItem[] = [
    asked("1", ["cro"], "Plan?", T + 1),
    asked("2", ["cro", "cfo"], "Runway?", T + 2),
    asked("3", ["cro", "cfo", "cro"], "Deals?", T + 3),
    { state: "ended", id: "3", at: T + 3, role: "cro", outcome: "blocked", reason: blocked },
    { state: "assumed", id: "2", at: T + 4, role: "cfo", assumption: "ARR is flat" },
    {
      state: "ended",
      id: "2",
      at: T + 5,
      role: "cfo",
      outcome: "answered",
      text: said("cfo", "Nine months"),
    },
    { state: "ended", id: "1", at: T + 6, role: "cro", outcome: "answered", text: said("cro", "On plan") },
  ];
  const invocations: RunEvent = { ...base, type: "invocations", at: T + 6, items };

  it("is a tree of who asks whom, each with its end", () => {
    const tree = renderTree(fold(ask, invocations), { now: T + 10, width: 120, color: false });
    expect(tree.split("\n").slice(1)).toEqual([
      "✔ cro  ok 0.0s  On plan",
      "└─ ✔ cfo  ok 0.0s  Nine months",
      `   └─ ■ cro  blocked 0.0s  ${blocked}`,
    ]);
  });

  it("is a line for each question, end and assumption", () => {
    expect(eventLines(fold(ask), invocations).map((line) => line.slice(9))).toEqual([
      "asked → cro: Plan?",
      "cro → cfo: Runway?",
      "cro → cfo → cro: Deals?",
      `cro blocked: ${blocked}`,
      "cfo assumes: ARR is flat",
      "cfo answered: Nine months",
      "cro answered: On plan",
    ]);
  });

  it("is shown whole: chain, question, refusals, assumptions, answer, indented by depth", () => {
    expect(
      chainText([ask, invocations])
        .split("\n")
        .filter((line) => !/^ *(?:Supporting|Confidence|Caveat|- )/.test(line)),
    ).toEqual([
      "[CHAIN: cro]",
      "[INVOKE:cro|Plan?]",
      "  [CHAIN: cro → cfo]",
      "  [INVOKE:cfo|Runway?]",
      "    [CHAIN: cro → cfo → cro]",
      "    [INVOKE:cro|Deals?]",
      `    ${blocked}`,
      "  [ASSUMPTION: ARR is flat]",
      "  [RESPONSE:cfo]",
      "  Key finding: Nine months",
      "  [/RESPONSE]",
      "[RESPONSE:cro]",
      "Key finding: On plan",
      "[/RESPONSE]",
    ]);
  });

  it("that two ask at once stands below each", () => {
    const both: RunEvent = {
      ...base,
      type: "invocations",
      at: T + 2,
      items: [
        asked("1", ["cro"], "A?", T),
        asked("2", ["cmo"], "B?", T),
        asked("3", ["cmo", "cfo"], "C?", T),
        asked("4", ["cro", "cfo"], "D?", T),
      ],
    };
    const view = fold(ask, both);
    expect([...view.nodes.values()].map(({ handoff: id, parent }) => [id, parent])).toEqual([
      ["ask:1", undefined],
      ["ask:2", undefined],
      ["ask:3", "ask:2"],
      ["ask:4", "ask:1"],
    ]);
  });
});
