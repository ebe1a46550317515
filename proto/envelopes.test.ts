// Runs the envelopes' conformance vectors against this implementation and against firm.abnf, as another language's would.
import { readFileSync } from "node:fs";
import { blockedText, checkInvocation } from "@firm/policy";
import {
  checkResponse,
  CONFIDENCES,
  EnvelopeError,
  INVOCABLE_ROLES,
  parseEnvelope,
  printEnvelope,
  readEnvelopes,
  Role,
  TOLERANCES,
} from "@firm/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { matches } from "../tests/harness/abnf.ts";

const invocable = z.enum(INVOCABLE_ROLES);
const others = [
  z.strictObject({ kind: z.literal("invoke"), role: invocable, question: z.string() }),
  z.strictObject({ kind: z.literal("chain"), roles: z.array(Role) }),
  z.strictObject({
    kind: z.literal("blocked"),
    role: z.string(),
    reason: z.string(),
    assumption: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal("assumption"), text: z.string() }),
] as const;
const Response = z.strictObject({
  kind: z.literal("response"),
  role: invocable,
  finding: z.string(),
  data: z.array(z.string()),
  confidence: z.enum(CONFIDENCES),
  caveat: z.string(),
});
const lines = z.array(z.string());
const ReadResponse = z.strictObject({
  kind: z.literal("response"),
  role: invocable,
  findings: lines,
  data: lines,
  confidences: lines,
  caveats: lines,
  stray: lines,
  closed: z.boolean(),
});
const Problem = z.strictObject({
  problem: z.string(),
  line: z.int(),
  column: z.int(),
  offset: z.int().optional(),
});

const Case = z.object({ name: z.string() });
const Named = z.object({ cases: z.array(Case) });

function vectors<T extends z.ZodRawShape>(file: string, shape: T) {
  const schema = z.strictObject({
    about: z.string(),
    cases: z.array(Case.extend(shape).strict()).nonempty(),
  });
  const json: unknown = JSON.parse(readFileSync(new URL(`vectors/${file}.json`, import.meta.url), "utf8"));
  const names = Named.parse(json).cases.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  return schema.parse(json).cases;
}

/** The problem of an error as the vectors have it. */
function problemOf(error: EnvelopeError, withOffset: boolean): z.infer<typeof Problem> {
  const { line, column, offset } = error.position;
  return { problem: error.problem, line, column, ...(withOffset ? { offset } : {}) };
}

const strict = vectors("envelopes-strict", {
  text: z.string(),
  envelope: z.discriminatedUnion("kind", [...others, Response]).optional(),
  error: Problem.optional(),
});

describe("strict", () => {
  it.each(strict)("$name", ({ text, envelope, error }) => {
    if (error === undefined) {
      expect(parseEnvelope(text)).toEqual(envelope);
      expect(printEnvelope(parseEnvelope(text))).toBe(text);
      return;
    }
    let thrown: unknown;
    try {
      parseEnvelope(text);
    } catch (caught) {
      thrown = caught;
    }
    if (!(thrown instanceof EnvelopeError)) expect.fail(`"${text}" is read`);
    expect(problemOf(thrown, error.offset !== undefined)).toEqual(error);
  });

  it.each(strict.filter(({ envelope }) => envelope !== undefined))("firm.abnf: $name", ({ text }) => {
    expect(matches("envelope", text)).toBe(true);
  });

  it.each(
    // What the grammar cannot say: canonical escapes, blanks around a text, and partners of brackets.
    strict.filter(({ error }) =>
      ["not-an-envelope", "unknown-role", "unclosed"].includes(error?.problem ?? ""),
    ),
  )("firm.abnf refuses: $name", ({ text }) => {
    expect(matches("envelope", text)).toBe(false);
  });
});

describe.each(["envelopes-reading", "envelopes-quoting"])("%s", (file) => {
  const cases = vectors(file, {
    text: z.string(),
    envelopes: z.array(z.discriminatedUnion("kind", [...others, ReadResponse])),
    quoted: z.array(z.strictObject({ keyword: z.string(), reason: z.string() })),
    problems: z.array(Problem),
  });
  it.each(cases)("$name", ({ text, envelopes, quoted, problems }) => {
    const reading = readEnvelopes(text);
    expect(reading.envelopes.map(({ envelope }) => envelope)).toEqual(envelopes);
    expect(reading.quoted.map(({ keyword, reason }) => ({ keyword, reason }))).toEqual(quoted);
    expect(reading.problems.map((problem) => problemOf(problem, false))).toEqual(problems);
  });
});

describe("responses", () => {
  const cases = vectors("responses", {
    role: Role,
    text: z.string(),
    response: Response.optional(),
    problems: lines.optional(),
  });
  it.each(cases)("$name", ({ role, text, response, problems }) => {
    expect(checkResponse(text, role)).toEqual(
      response === undefined ? { problems } : { response, problems: [] },
    );
  });
});

const invocations = vectors("invocations", {
  path: z.array(Role).default([]),
  chain: z.array(Role),
  role: z.string(),
  phase: z.int(),
  refusal: z.string().optional(),
  code: z.string().optional(),
});

describe("invocations", () => {
  it.each(invocations)("$name", ({ path, chain, role, phase, refusal, code }) => {
    const verdict = checkInvocation({ path, chain, role, phase });
    if (refusal === undefined) expect(verdict).toEqual({ ok: true });
    else if (verdict.ok) expect.fail(`${role} may be asked`);
    else expect([verdict.code, blockedText({ role, reason: verdict.reason })]).toEqual([code, refusal]);
  });
});

/** The protocol's own examples (seed: agent-protocol), text by text. */
const SEED_TEXTS = [
  "[INVOKE:cfo|What's the burn rate impact of hiring 5 engineers in Q3?]",
  "[INVOKE:cto|Can we realistically ship this feature by end of quarter?]",
  "[INVOKE:chro|What's our typical time-to-hire for senior engineers?]",
  "[INVOKE:cro|What does our pipeline look like for the next 90 days?]",
  "[INVOKE:role|question]",
  "[INVOKE:cfo|...]",
  "[CHAIN: cro → cfo → coo]",
  "[ASSUMPTION: ...]",
  `[BLOCKED: cannot invoke cfo — circular call detected in chain cro→cfo]
State assumption used instead: [explicit assumption the agent is making]`,
  `[RESPONSE:cfo]
Key finding: Hiring 5 engineers in Q3 extends runway from 14 to 9 months at current burn.
Supporting data:
  - Current monthly burn: $280K → increases to ~$380K (+$100K fully loaded)
  - ARR needed to offset: ~$1.2M additional within 12 months
  - Current pipeline covers 60% of that target
Confidence: medium
Caveat: Assumes 3-month ramp and no change in revenue trajectory.
[/RESPONSE]`,
];
/** The chains of its rules: whether the last may be asked by the one before. */
const SEED_CHAINS: readonly (readonly [chain: string, isAllowed: boolean])[] = [
  ["cfo → cfo", false],
  ["cro → cfo → coo", true],
  ["cro → cfo → coo → chro", false],
  ["cro → cfo → cmo", true],
  ["cro → cfo → cro", false],
];

describe("every example of the protocol's own text is among the vectors", () => {
  it.each(SEED_TEXTS)("%s", (text) => {
    expect(strict.map((the) => the.text)).toContain(text);
  });

  it.each(SEED_CHAINS)("%s", (chain, isAllowed) => {
    const found = invocations.find(
      (the) => [...the.chain, the.role].join(" → ") === chain && the.phase === 0,
    );
    expect([found?.name, found?.refusal === undefined]).toEqual([expect.any(String), isAllowed]);
  });

  it("the refusal, to the letter", () => {
    expect(invocations.map(({ refusal }) => refusal)).toContain(
      "[BLOCKED: cannot invoke cfo — circular call detected in chain cro→cfo]",
    );
  });
});

it("firm.abnf takes whatever the printer writes", () => {
  const piece = fc.constantFrom(
    "[",
    "]",
    "\\",
    "|",
    "［",
    "】",
    '"',
    "`",
    "\n",
    " ",
    "é",
    "📈",
    "[INVOKE:cfo|x]",
    "[/RESPONSE]",
  );
  const text = fc.array(piece, { minLength: 1, maxLength: 8 }).map((parts) => `a${parts.join("")}b`);
  const line = text.map((one) => one.replaceAll("\n", " "));
  fc.assert(
    fc.property(text, line, (question, finding) => {
      const data = [finding, finding];
      for (const envelope of [
        { kind: "invoke", role: "cfo", question },
        { kind: "assumption", text: question },
        { kind: "blocked", role: "cfo", reason: finding, assumption: question },
        { kind: "response", role: "cfo", finding, data, confidence: "low", caveat: finding },
      ] as const)
        expect([envelope, matches("envelope", printEnvelope(envelope))]).toEqual([envelope, true]);
    }),
    { numRuns: 200 },
  );
});

it("docs/protocol.md lists what the reader takes", () => {
  const page = readFileSync(new URL("../docs/protocol.md", import.meta.url), "utf8");
  const cell = (text: string): string => text.replaceAll("|", String.raw`\|`);
  for (const { name, written, read } of TOLERANCES)
    expect(page).toContain(`| ${name} | ${cell(written)} | ${cell(read)} |`);
});
