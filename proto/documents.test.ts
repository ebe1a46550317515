// Holds the documents of proto/ to the code, and to the standards they claim.
import { readdirSync, readFileSync } from "node:fs";
import specs from "@asyncapi/specs";
import {
  CONTROL_VERBS,
  DISCLAIMER,
  EXECUTIVE_ROLES,
  LEVELS,
  ROLE_VERBS,
  RunEvent,
  subjects,
  type Role,
} from "@firm/protocol";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { matches } from "../tests/harness/abnf.ts";
import { asyncApi, asyncApiText } from "./asyncapi.ts";
import { CHANNELS } from "./channels.ts";
import { jsonSchemaOf, SCHEMA_NAMES, schemaFile, schemaText } from "./schemas.ts";

const committed = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const stale = "is not what the code says: run `npm run proto`, and look at what changed on the wire";
const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);

const Channels = z.record(z.string(), z.object({ address: z.string().nullable() }));
const Refs = z.array(z.string());

/** Every `$ref` below a value. */
function refsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "$ref" && typeof inner === "string" ? [inner] : refsOf(inner),
  );
}

/** What a JSON pointer names in a document; undefined if nothing. */
function at(document: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce<unknown>(
      (value, step) =>
        typeof value === "object" && value !== null
          ? Object.entries(value).find(([key]) => key === step)?.[1]
          : undefined,
      document,
    );
}

describe("JSON Schemas", () => {
  it.each(SCHEMA_NAMES)("%s: the committed file is current and a valid draft-07 schema", (name) => {
    expect(
      committed(`schemas/${schemaFile(name)}`) === schemaText(name),
      `${schemaFile(name)} ${stale}`,
    ).toBe(true);
    expect(() => ajv.compile(jsonSchemaOf(name))).not.toThrow();
  });

  it("no file is left over", () => {
    const files = readdirSync(new URL("schemas/", import.meta.url));
    expect(files.toSorted()).toEqual(SCHEMA_NAMES.map(schemaFile).toSorted());
  });

  it("agree with zod on the contracts of the vectors", () => {
    const Vectors = z.object({
      cases: z.array(z.object({ name: z.string(), input: z.unknown(), error: z.unknown().optional() })),
    });
    const validate =
      ajv.getSchema("urn:firm:v1:HandoffContract") ?? ajv.compile(jsonSchemaOf("HandoffContract"));
    // JSON Schema cannot say "not blank"; the gateway can.
    const beyond = ["an empty objective"];
    const { cases } = Vectors.parse(JSON.parse(committed("vectors/handoff-contract.json")));
    const differ = cases.filter(({ input, error }) => validate(input) !== (error === undefined));
    expect(differ.map(({ name }) => name)).toEqual(beyond);
  });

  it("a reader lets pass what a later version adds, and a writer is told of a misspelt field", () => {
    expect(jsonSchemaOf("HandoffReply")).not.toHaveProperty("additionalProperties");
    expect(jsonSchemaOf("HandoffRequest")).toHaveProperty("additionalProperties", false);
    expect(JSON.stringify(jsonSchemaOf("RunEvent"))).toContain(DISCLAIMER);
  });
});

describe("asyncapi.yaml", () => {
  const document: unknown = parse(committed("asyncapi.yaml"));
  const channels = Channels.parse(at(document, "#/channels"));
  const addresses = Object.values(channels).flatMap(({ address }) => address ?? []);

  it("is current", () => {
    expect(committed("asyncapi.yaml") === asyncApiText(), `asyncapi.yaml ${stale}`).toBe(true);
    expect(document).toEqual(asyncApi());
  });

  it("satisfies AsyncAPI 3.0's own schema", () => {
    const specification: object = specs.schemasWithoutId["3.0.0"];
    const validate = ajv.compile(specification);
    validate(document);
    expect(validate.errors ?? []).toEqual([]);
  });

  it("every reference leads somewhere", () => {
    const refs = Refs.nonempty().parse(refsOf(document));
    const broken = refs.filter((ref) =>
      ref.startsWith("#") ? at(document, ref) === undefined : committed(ref) === "",
    );
    expect(broken).toEqual([]);
  });

  it("has a channel for every event of a run's log", () => {
    const types = RunEvent.options.map((option) => option.shape.type.value);
    const missing = types.filter(
      (type) => !addresses.some((address) => address.startsWith(`firm.run.{run}.${type}`)),
    );
    expect(missing).toEqual([]);
  });

  it("has no two channels of one address", () => {
    expect(new Set(addresses).size).toBe(CHANNELS.length);
  });
});

describe("firm.abnf", () => {
  const run = "01KDVDNA002R4M97KSPSMVY0R6";
  const roles: readonly Role[] = [
    "ceo",
    ...EXECUTIVE_ROLES,
    ...LEVELS.map((level) => `${level}:some-name-1`),
  ];

  it("derives every subject that the code builds", () => {
    const { run: log } = subjects;
    const built = [
      subjects.objective,
      subjects.invoke(),
      subjects.invoke("cfo"),
      subjects.feedback(run),
      subjects.stop(run),
      subjects.dlq("FIRM_WORK"),
      ...CONTROL_VERBS.map((verb) => subjects.control(run, verb)),
      ...roles.flatMap((role) => [subjects.work(role), subjects.ask(role)]),
      ...roles.flatMap((role) => ROLE_VERBS.map((verb) => subjects.from(role, verb))),
      ...[
        log.accepted,
        log.session,
        log.message,
        log.refused,
        log.control,
        log.invocations,
        log.board,
        log.finished,
      ].map((of) => of(run)),
      ...[log.handoff, log.started, log.checkpoint, log.end, log.late].map((of) => of(run, "root")),
    ];
    expect(built.filter((subject) => !matches("subject", subject))).toEqual([]);
  });

  it.each(["firm.objective.x", "firm.run.>", "firm.work.*", "firm.from.intern.result", "FIRM.objective", ""])(
    'derives no "%s"',
    (subject) => expect(matches("subject", subject)).toBe(false),
  );
});
