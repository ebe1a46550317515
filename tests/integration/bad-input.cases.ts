// Pure: what people and programs send by mistake, and what they are told; the tables of bad-input.test.ts.
import type { ErrorCode } from "@firm/protocol";

/** An objective that is refused: what it is, its body, the field that is named, words of the message, the code. */
export interface BadObjective {
  readonly what: string;
  readonly body: string | Uint8Array;
  readonly field: string;
  readonly words: string;
  readonly code: ErrorCode;
}

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => Buffer.from(part)));
const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

/** Field → a value of a wrong type, and one of the right type that is out of bounds, each with words of its refusal. */
const WRONG_FIELDS: Readonly<Record<string, readonly (readonly [unknown, string, string?])[]>> = {
  objective: [
    [3, "expected string"],
    ["", "must not be empty"],
    [" \n ", "must not be empty"],
    ["x".repeat(32_769), "at most 32768"],
  ],
  kind: [["party", '"run"|"board"']],
  departments: [
    ["quality", "expected array"],
    [[], "at least one department"],
    [[7], "expected string", "departments.0"],
    [["strategy", "nowhere"], 'no department "nowhere"; known: strategy, quality', "departments.1"],
    [["Quality"], "lower-case letters", "departments.0"],
    [["a\r\nb"], "lower-case letters", "departments.0"],
  ],
  constraints: [
    ["none", "expected array"],
    [["ok", 3], "expected string", "constraints.1"],
  ],
  definition_of_done: [[[], "expected string"]],
  delivery_format: [["pdf", "markdown_report"]],
  context_ref: [["../../etc/passwd", "memory:<path>"]],
  reply_session: [
    ["a b", "letters, digits"],
    [7, "expected string"],
  ],
  workspace: [
    [3, "expected string"],
    ["relative/path", "must be an absolute path"],
  ],
  allow_run: [["yes", "expected boolean"]],
  deadline_seconds: [
    ["30", "expected number"],
    [0, "at least 0.05"],
    [1e9, "at most 86400"],
  ],
  budget: [
    [5, "expected object"],
    [{ usd: "1" }, "expected number", "budget.usd"],
    [{ spawns: 21 }, "<=20", "budget.spawns"],
    [{ euros: 1 }, "no such field", "budget.euros"],
  ],
  board: [[{ roles: ["ceo"] }, "at least two", "board.roles"]],
};
/** The fields that have a case. */
export const COVERED_FIELDS = Object.keys(WRONG_FIELDS);

const invalid = (
  what: string,
  body: string | Uint8Array,
  words: string,
  field = "objective",
): BadObjective => ({
  what,
  body,
  field,
  words,
  code: "invalid-input",
});

export const BAD_OBJECTIVES: readonly BadObjective[] = [
  ...Object.entries(WRONG_FIELDS).flatMap(([name, cases]) =>
    cases.map(([value, words, field = name], i) =>
      invalid(`${name}, ${i + 1}`, JSON.stringify({ objective: "x", [name]: value }), words, field),
    ),
  ),
  invalid("nothing", "", "must not be empty"),
  invalid("blanks", " \n\t ", "must not be empty"),
  invalid("an object without the objective", "{}", "expected string"),
  invalid("a misspelt field", '{"objective":"x","budgett":{}}', "no such field", "budgett"),
  invalid(
    "a field that is none in any language",
    '{"objective":"x","予算\\u0000":1}',
    "no such field",
    "予算\0",
  ),
  invalid("a prototype", '{"objective":"x","__proto__":{"a":1}}', "no such field", "__proto__"),
  invalid("JSON that breaks off", '{"objective":"x"', "is not JSON"),
  invalid("UTF-16", new Uint8Array(Buffer.from('{"objective":"ä"}', "utf16le")), "UTF-8"),
  invalid("bytes", bytes([0xff, 0xfe, 0x00, 0x80]), "is not UTF-8"),
  invalid("JSON with a byte that is no UTF-8", bytes('{"objective":"a', [0xc3, 0x28], '"}'), "is not UTF-8"),
  invalid("deep JSON", `{"objective":${nested(200_000)}}`, "expected string"),
  invalid("deep JSON in a list", `{"objective":"x","constraints":${nested(200_000)}}`, "", "constraints.0"),
  invalid("another word of the skill", "@firm-orchestration stop", "@firm-orchestration run"),
  invalid("an empty block", "@firm-orchestration run\n", "expected string"),
  invalid("a block that is no YAML", "@firm-orchestration run\n  objective: [", "not YAML"),
  invalid("a block that refers to itself", "@firm-orchestration run\n  objective: &a [*a]", "not YAML"),
  invalid("a deep block", `@firm-orchestration run\n  objective: ${"[".repeat(20_000)}`, "not YAML"),
  {
    what: "a context that names nothing",
    body: '{"objective":"x","context_ref":"memory:nothing/here"}',
    field: "context_ref",
    words: "names nothing",
    code: "unknown-context",
  },
  {
    what: "more than a work order can carry",
    // Each character is six bytes of JSON: it can be stored, but not with the contract that repeats it.
    body: JSON.stringify({
      objective: "\u0001x".repeat(16_000),
      constraints: Array(50).fill("\u0001x".repeat(1_000)),
    }),
    field: "objective",
    words: "this NATS server takes at most",
    code: "too-large",
  },
];

/** firm.yaml's text, and words of the line that `firm` says of it. */
export const BAD_CONFIGS: readonly (readonly [string, string])[] = [
  ["departments: []", "departments: Too small"],
  [
    "departments: [{name: Big, services: [{name: b, employees: [{name: c}]}]}]",
    'departments.0.name: "Big" is not a name',
  ],
  ["departments: [{name: a, services: [{name: b, employees: []}]}]", "departments.0.services.0.employees"],
  [
    "departments: [{name: a, services: [{name: b, employees: [{name: c}]}]}, {name: a, services: [{name: d, employees: [{name: e}]}]}]",
    "departments.1.name: department:a stands twice",
  ],
  ["merge_order: [nope]", 'merge_order.0: there is no department "nope"'],
  ["limits: {deadline_seconds: soon}", "limits.deadline_seconds: Invalid input: expected number"],
  ["limits: 5", "limits: Invalid input: expected object"],
  ["bus: {replicas: 2}", "bus.replicas: must be 1, 3 or 5"],
  ["bus: {max_bytes: 1}", "bus.max_bytes: must be at least 1048576"],
  ["bus: {runs_max_age_days: 1e9}", "bus.runs_max_age_days: must be at most 36500"],
  ["agents: {roles: {employee:nobody: scripted}}", "agents.roles.employee:nobody: there is no such role"],
  ["colour: red", '"colour": no such field'],
  ["just words", "firm.yaml: Invalid input: expected object"],
  ["limits: {spawns: 1", "firm.yaml is not YAML"],
  ["limits: {spawns: 5, spawns: 6}", "firm.yaml is not YAML: Map keys must be unique"],
];

/** Bodies that mean nothing to any verb. */
export const GARBAGE: readonly (string | Uint8Array)[] = [
  "",
  "null",
  "[]",
  '"x"',
  '{"',
  '{"__proto__":{"run":1}}',
  '{"contract":{"from":"ceo","to":"ceo"},"role":7,"status":[],"wait_ms":"long","after":-1,"attempt":"first","session":{}}',
  nested(100_000),
  bytes([0xff, 0x00, 0xc3, 0x28]),
  `{"text":"${"x".repeat(500_000)}"}`,
];
