// The minutes from draft to decision: everything a reader needs, the founder's word on top, what was rejected stays away.
import { Deliverable, DISCLAIMER, Result, type Role } from "@firm/protocol";
import { describe, expect, test } from "vitest";
import { readContribution, type Position } from "./contribution.ts";
import { readCritique } from "./critique.ts";
import { decisionDocument } from "./decisions.ts";
import {
  boardDeliverable,
  decidedDeliverable,
  minutesOf,
  withAddendum,
  type BoardInput,
  type SynthesisInput,
} from "./deliverable.ts";
import { rejectedIn, resurfacedBy } from "./resurface.ts";
import { participantsOf, topicOf } from "./topics.ts";

function position(role: Role, over: object = {}): Position {
  const block = {
    stance: "for",
    recommendation: "Go | slowly",
    key_points: ["Pipeline covers it", "Legal risk is low"],
    confidence: "medium",
    would_change_my_mind: "Churn",
    assumptions: ["Flat churn"],
    ...over,
  };
  const result = Result.parse({
    status: "ok",
    objective_key: "k",
    summary: "s",
    output: `\`\`\`json\n${JSON.stringify(block)}\n\`\`\``,
  });
  const read = readContribution(role, result);
  if (read === undefined) throw new Error("nothing read");
  return read;
}

const critic = readCritique(
  Result.parse({
    status: "ok",
    objective_key: "k",
    summary: "s",
    output: `\`\`\`json\n${JSON.stringify({ unnamed_risks: ["Exchange rate"], out_of_domain: [{ role: "cro", point: "legal risk is low" }] })}\n\`\`\``,
  }),
);

let seen: SynthesisInput | undefined;
const base: BoardInput = {
  run: "01JZZZZZZZZZZZZZZZZZZZZZZZ",
  question: "Should we expand to Germany in Q3?",
  format: "markdown_report",
  date: "2026-12-01",
  participants: ["ceo", "cro", "cfo"],
  outcome: {
    positions: [position("ceo"), position("cro")],
    missing: [{ role: "cfo", reason: "no answer in time" }],
    challenged: true,
    critic,
    results: [],
  },
  layer2: "",
  synthesise: (input) => {
    seen = input;
    return {
      themes: ["Cash"],
      conflicts: ["CEO and CRO differ on timing"],
      decisions: ["Open a Berlin office", "Hire two sellers"],
      action_items: [{ action: "Model the cost", owner: "cfo", due: "2026-12-15" }],
      open_questions: ["Which entity?"],
    };
  },
};
const draft = boardDeliverable(base);

describe("the draft", () => {
  test("is a deliverable whose document has every section, the disclaimer last", () => {
    expect(Deliverable.parse(draft)).toEqual(draft);
    for (const title of [
      "Agenda",
      "Participants",
      "Positions",
      "Critique",
      "Conflicts",
      "Themes",
      "Decisions (proposed)",
      "Action items",
      "Assumptions",
      "Open questions",
      "Missing roles",
    ])
      expect(draft.body).toContain(`## ${title}`);
    expect(draft.body.trimEnd().split("\n").at(-1)).toBe(DISCLAIMER);
    expect(draft.body).toContain("| Model the cost | CFO | 2026-12-15 |");
    expect(draft.body).toContain("Go \\| slowly");
    expect(draft.status).toBe("open_items");
    expect(draft.open_items).toContain("cfo is missing: no answer in time");
    expect(draft.assumptions).toEqual(["ceo: Flat churn", "cro: Flat churn"]);
  });

  test("leaves out of the synthesis what left a role's domain, and says so", () => {
    expect(seen?.positions.find(({ role }) => role === "cro")?.contribution?.key_points).toEqual([
      "Pipeline covers it",
    ]);
    expect(seen?.positions.find(({ role }) => role === "ceo")?.contribution?.key_points).toHaveLength(2);
    expect(draft.body).toContain("CRO left its domain");
  });

  test("as JSON holds the same minutes", () => {
    expect(minutesOf(boardDeliverable({ ...base, format: "json" }))).toBe(draft.body);
  });
});

describe("the founder's word", () => {
  test("approve makes the proposals decisions", () => {
    const final = decidedDeliverable(draft, "approve", "", "2026-12-02");
    expect(final.decisions).toEqual(draft.decisions);
    expect(final.body).toContain("Status: approved on 2026-12-02");
    expect(final.body).toContain("## Decisions (approved)");
    expect(final.body.trimEnd().endsWith(DISCLAIMER)).toBe(true);
    expect(final.body.split(DISCLAIMER)).toHaveLength(2);
  });

  test("modify overrides the draft and is named", () => {
    const final = decidedDeliverable(draft, "modify", "Only Austria, $& in Q4", "2026-12-02");
    expect(final.decisions).toEqual(["Founder's correction: Only Austria, $& in Q4"]);
    expect(final.body).toContain("Founder's correction: Only Austria, $& in Q4");
  });

  test("reject marks every proposal, and a later meeting does not bring it up", () => {
    const final = decidedDeliverable(draft, "reject", "too early", "2026-12-02");
    expect(final.decisions.every((one) => one.startsWith("[DO_NOT_RESURFACE] "))).toBe(true);
    const layer2 = decisionDocument([
      {
        run: draft.run,
        date: "2026-12-02",
        question: base.question,
        verb: "reject",
        decisions: [...final.decisions],
      },
    ]);
    const later = boardDeliverable({
      ...base,
      question: "Shall we expand to Germany next year, in Q3?",
      layer2,
    });
    expect(later.decisions).toEqual([]);
    expect(later.body).toContain("Rejected before and not resurfaced");
    expect(later.body).not.toContain("Model the cost");
    const other = boardDeliverable({ ...base, question: "What do we charge?", layer2 });
    expect(other.decisions).toEqual([]);
    expect(other.body).toContain("Model the cost");
  });

  test("ask adds an addendum to what stays a draft", () => {
    const again = withAddendum(draft, "What is the runway?", "cfo", "14 months");
    expect(again.body).toContain("**CFO:** 14 months");
    expect(again.body).toContain("awaiting the founder's decision");
    expect(again.decisions).toEqual(draft.decisions);
    expect(decidedDeliverable(again, "approve", "", "2026-12-02").body).toContain("14 months");
  });
});

test("rejected proposals are told from other ones by more than one word", () => {
  const rejected = rejectedIn("- [DO_NOT_RESURFACE] Should we expand to Germany in Q3? Open an office");
  expect(resurfacedBy("Expand to Germany in Q3", rejected)).toHaveLength(1);
  expect(resurfacedBy("Hire a lawyer in Germany", rejected)).toHaveLength(0);
});

test.each([
  ["Should we expand to Germany in Q3?", "market expansion"],
  ["Should we raise prices by 10%?", "pricing"],
  ["Should we hire ten people?", "hiring and organisation"],
  ["Should the roadmap drop the beta feature?", "product direction"],
  ["Should we migrate the database to the cloud?", "technology"],
  ["What now?", "general"],
])("%s: %s", (question, topic) => {
  expect(topicOf(question).name).toBe(topic);
});

test("named roles count, once each", () => {
  expect(participantsOf({ objective: "x", board: { roles: ["cfo", "cto", "cfo"] } })).toEqual(["cfo", "cto"]);
});
