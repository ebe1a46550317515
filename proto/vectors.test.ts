// Runs the conformance vectors against this implementation and against firm.abnf, as another language's would.
import { readdirSync, readFileSync } from "node:fs";
import {
  addressOf,
  durableOf,
  FirmError,
  HandoffContract,
  handoffIdOf,
  isRunId,
  parseFrom,
  parseObjective,
  parseRunSubject,
  parseWith,
  roleOfAddress,
  runIdOf,
  subjects,
} from "@firm/protocol";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { matches } from "../tests/harness/abnf.ts";

const Failure = z.object({ code: z.string(), field: z.string().optional() });
const Case = z.object({ name: z.string(), error: Failure.optional() });

/** The cases of one file, its own fields parsed by `shape`; unknown fields fail. */
function vectors<T extends z.ZodRawShape>(file: string, shape: T) {
  const text = readFileSync(new URL(`vectors/${file}.json`, import.meta.url), "utf8");
  const schema = z.strictObject({
    about: z.string(),
    cases: z.array(Case.extend(shape).strict()).nonempty(),
  });
  return schema.parse(JSON.parse(text)).cases;
}

/** Holds an outcome against the expected value or failure. */
function holds(act: () => unknown, expected: unknown, error: z.infer<typeof Failure> | undefined): void {
  if (error === undefined) {
    expect(act()).toEqual(expected);
    return;
  }
  expect(act).toThrow(FirmError);
  expect(act).toThrow(expect.objectContaining(error));
}

describe("objective", () => {
  const cases = vectors("objective", { input: z.string(), expect: z.unknown().optional() });
  it.each(cases)("$name", (the) => holds(() => parseObjective(the.input), the.expect, the.error));
});

describe("handoff contract", () => {
  const cases = vectors("handoff-contract", { input: z.unknown(), expect: z.unknown().optional() });
  it.each(cases)("$name", (the) =>
    holds(() => parseWith(HandoffContract, the.input, "contract"), the.expect, the.error),
  );
});

describe("roles and addresses", () => {
  const text = z.string().optional();
  const cases = vectors("roles", { role: text, address: text, durable: text, inbox: text });
  it.each(cases)("$name", ({ role, address, durable, inbox, error }) => {
    const valid = error === undefined;
    if (role !== undefined) {
      holds(() => addressOf(role), address, error);
      expect(matches("role", role)).toBe(valid);
    }
    if (address !== undefined) {
      holds(() => roleOfAddress(address.split(".")), role, error);
      expect(matches("address", address)).toBe(valid);
    }
    if (role === undefined || durable === undefined || inbox === undefined) return;
    expect([durableOf(role), subjects.inbox(role)]).toEqual([durable, inbox]);
    expect([matches("durable", durable), matches("inbox", inbox)]).toEqual([true, true]);
  });
});

describe("subjects of a run's log", () => {
  const expected = z.object({ run: z.string(), type: z.string(), id: z.string().optional() });
  const cases = vectors("run-subjects", { subject: z.string(), expect: expected.nullable() });
  it.each(cases)("$name", (the) => {
    expect(parseRunSubject(the.subject) ?? null).toEqual(the.expect);
    expect(matches("event", the.subject)).toBe(the.expect !== null);
  });
});

describe("subjects of a role's requests", () => {
  const expected = z.object({ role: z.string(), verb: z.string() });
  const cases = vectors("from-subjects", { subject: z.string(), expect: expected.optional() });
  it.each(cases)("$name", (the) => {
    holds(() => parseFrom(the.subject), the.expect, the.error);
    expect(matches("from", the.subject)).toBe(the.error === undefined);
  });
});

describe("ids", () => {
  const cases = vectors("ids", {
    stored_at: z.number().optional(),
    origin: z.string().optional(),
    run: z.string().optional(),
    handoff_of: z.tuple([z.string(), z.string(), z.string(), z.string(), z.number()]).optional(),
    handoff: z.string().optional(),
  });
  it.each(cases)("$name", (the) => {
    if (the.stored_at !== undefined) {
      const run = runIdOf(the.stored_at, the.origin ?? "");
      expect([run, isRunId(run), matches("run", run)]).toEqual([the.run, true, true]);
    }
    if (the.handoff_of !== undefined) {
      const handoff = handoffIdOf(...the.handoff_of);
      expect([handoff, matches("handoff", handoff)]).toEqual([the.handoff, true]);
    }
  });
});

it("every file of vectors is run, here or in envelopes.test.ts", () => {
  const files = readdirSync(new URL("vectors/", import.meta.url));
  expect(files.toSorted()).toEqual([
    "envelopes-quoting.json",
    "envelopes-reading.json",
    "envelopes-strict.json",
    "from-subjects.json",
    "handoff-contract.json",
    "ids.json",
    "invocations.json",
    "objective.json",
    "responses.json",
    "roles.json",
    "run-subjects.json",
  ]);
});
