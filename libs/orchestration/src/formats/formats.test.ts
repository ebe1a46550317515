import { DISCLAIMER, parseWith, PullRequest, type Deliverable } from "@firm/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeRun, type MergeInput } from "../merge.ts";
import {
  childOf,
  ENGINEERING,
  LEGAL,
  objectiveOf,
  OPERATIONS,
  QUALITY,
  resultOf,
  RUN,
  STRATEGY,
} from "../testing/fixtures.ts";
import { code, embed, inline, lineStart } from "./escape.ts";
import { draftPullRequest, pullRequestTitle } from "./github-pr.ts";

const finding = {
  objective_key: "f",
  title: "Secret | key",
  severity: "high" as const,
  detail: "line one\nline two",
  file: "src/a|b.ts",
  line: 12,
  recommendation: "Rotate *it*",
  cvss: 7,
};
const INPUT: MergeInput = {
  run: RUN,
  objective: objectiveOf(),
  order: [STRATEGY, ENGINEERING, QUALITY, OPERATIONS],
  outcomes: [
    childOf(QUALITY, {
      result: resultOf({
        objective_key: "q",
        summary: "Checked.",
        output: "# Checks\n\n```sh\n# not a heading",
        findings: [finding],
        assumptions: ["One region"],
      }),
    }),
    childOf(STRATEGY, {
      result: resultOf({
        objective_key: "s",
        summary: "Planned.",
        output: `## Plan\n\nText <!-- open\n\n${DISCLAIMER}`,
        decisions: ["Use NATS"],
      }),
    }),
    childOf(OPERATIONS, { status: "timeout", result: undefined, reason: "no result by the deadline" }),
    childOf(ENGINEERING, { status: "blocked", result: undefined, reason: "cards?" }),
  ],
  blockers: [
    {
      role: ENGINEERING,
      blocked_by: LEGAL,
      blocker: "cards?",
      iterations: [{ resolution: "tokens", response: "still: cards?" }],
      reason: "not resolved after 1 joint iteration",
    },
  ],
};
const bodyIn = (delivery_format: Deliverable["format"]) =>
  mergeRun({ ...INPUT, objective: objectiveOf({ delivery_format }) }).body;
const headings = (body: string) => body.split("\n").filter((line) => /^#{1,2} /.test(line));

describe("markdown_report", () => {
  const body = bodyIn("markdown_report");

  test("title, departments in order, then what was found, decided, assumed, left open, and who did what", () => {
    expect(headings(body)).toEqual([
      "# Build a payment API",
      "## Strategy",
      "## Engineering",
      "## Quality",
      "# not a heading",
      "## Operations",
      "## Findings",
      "## Decisions",
      "## Assumptions",
      "## Open items",
      "## Departments",
      "## Blocker reports",
      "## Suggestions for the next run",
    ]);
  });

  test("the disclaimer is there once, as the last line", () => {
    expect(body.split("\n").at(-1)).toBe(DISCLAIMER);
    expect(body.split(DISCLAIMER)).toHaveLength(2);
  });

  test("a finding is one row, with its place", () => {
    expect(body).toContain(
      "| high | `src/a\\|b.ts:12` | **Secret \\| key**<br>line one line two | Rotate \\*it\\* | 7.0 |",
    );
  });

  test("a part cannot swallow the rest: fences are closed, HTML is shown, headings go down", () => {
    expect(body).toContain("### Checks\n\n```sh\n# not a heading\n```\n\n## Operations");
    expect(body).toContain("#### Plan\n\nText &lt;!-- open");
  });

  test("who delivered, timed out, was blocked, and the blocker's report", () => {
    expect(body).toContain(
      "- Delivered: department:strategy, department:quality\n- Timed out: department:operations\n- Blocked: department:engineering",
    );
    expect(body).toContain(
      "### department:engineering blocked by department:legal\n\ncards?\n\n1. department:legal answered: tokens\n   department:engineering responded: still: cards?\n\nEscalated: not resolved after 1 joint iteration.",
    );
  });
});

test("json: every field but the body, the parts in full", () => {
  const parsed: unknown = JSON.parse(bodyIn("json"));
  expect(parsed).toMatchObject({
    run: RUN,
    status: "open_items",
    departments: [{ role: STRATEGY }, { role: ENGINEERING }, { role: QUALITY }, { role: OPERATIONS }],
    findings: [finding],
    blockers: INPUT.blockers,
    disclaimer: DISCLAIMER,
  });
  expect(parsed).not.toHaveProperty("body");
});

describe("github_pr", () => {
  test("a draft labelled needs-review whose body ends with the disclaimer", () => {
    const deliverable = mergeRun({ ...INPUT, objective: objectiveOf({ delivery_format: "github_pr" }) });
    const pr = parseWith(
      PullRequest,
      draftPullRequest(deliverable, { branch: "firm/x", base: "main" }),
      "pr",
    );
    expect(pr).toMatchObject({
      title: "Build a payment API",
      draft: true,
      labels: ["needs-review"],
      branch: "firm/x",
      base: "main",
    });
    expect(headings(pr.body).slice(0, 2)).toEqual(["## Summary", "## Strategy"]);
    expect(pr.body.split("\n").at(-1)).toBe(DISCLAIMER);
  });

  test("a title is one short line", () => {
    expect(pullRequestTitle(`Build\n${"x".repeat(200)}`)).toMatch(/^Build x+…$/);
    expect(pullRequestTitle("x".repeat(200))).toHaveLength(72);
  });
});

describe("escaping", () => {
  test.each([
    ["a | b", "a \\| b"],
    ["snake_case and _emphasis_", "snake_case and \\_emphasis\\_"],
    ["![pixel](http://x)", "!\\[pixel\\](http://x)"],
    ["<script>", "\\<script>"],
    ["use `a|b` or ` alone", "use `a\\|b` or \\` alone"],
    ["two\nlines", "two lines"],
  ])("inline %j", (text, escaped) => {
    expect(inline(text)).toBe(escaped);
  });

  test.each([
    ["# no heading", "\\# no heading"],
    ["- no item", "\\- no item"],
    ["1. no item", "1\\. no item"],
    ["> no quote", "\\> no quote"],
    ["2 items", "2 items"],
  ])("at a line's start %j", (text, escaped) => {
    expect(lineStart(text)).toBe(escaped);
  });

  test.each([
    ["a.ts", "`a.ts`"],
    ["a`b.ts", "`` a`b.ts ``"],
  ])("code %j", (text, span) => {
    expect(code(text)).toBe(span);
  });

  test.each([
    ["~~~\n```\n# x", "~~~\n```\n# x\n~~~"],
    ["````\n```\n# x", "````\n```\n# x\n````"],
    ["`<b>` and <b> and <https://x.y>", "`<b>` and &lt;b> and <https://x.y>"],
    ["##### deep\n#hashtag", "###### deep\n#hashtag"],
  ])("embed %j", (text, embedded) => {
    expect(embed(text, 2, DISCLAIMER)).toBe(embedded);
  });

  test("property: whatever a cell holds, a row keeps its five cells and its one line", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("|", "\\", "`", "\n", "a", " ", "<", "*") }), (text) => {
        const row = inline(text);
        expect(row).not.toContain("\n");
        expect(row.replace(/\\[\\`*[\]|<_]/g, "")).not.toContain("|");
      }),
    );
  });

  test("property: whatever a part holds, an embedded part leaves no fence open", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("```", "~~~", "\n", "````", "a", " ", "`", "#") }),
        (text) => {
          const closed = embed(text, 2, DISCLAIMER);
          expect(embed(closed, 0, DISCLAIMER)).toBe(closed);
        },
      ),
    );
  });
});
