// Pure: the JSON Schemas of everything that crosses the bus, derived from the zod schemas that guard it.
import * as protocol from "@firm/protocol";
import * as z from "zod";

/** Whether a schema describes what may be written (defaults may be left out) or what will be read (they are filled in). */
type Direction = "input" | "output";

interface Named {
  readonly schema: z.ZodType;
  readonly direction: Direction;
  readonly description: string;
}

/** Shapes that stand inside others, and are named there. */
const PARTS = {
  HandoffContract: protocol.HandoffContract,
  Objective: protocol.Objective,
  Budget: protocol.Budget,
  Finding: protocol.Finding,
  Usage: protocol.Usage,
  Result: protocol.Result,
  Deliverable: protocol.Deliverable,
  Commit: protocol.Commit,
  PullRequest: protocol.PullRequest,
  DepartmentOutcome: protocol.DepartmentOutcome,
  ResolvedContext: protocol.ResolvedContext,
  HistoryEntry: protocol.HistoryEntry,
  SessionEntry: protocol.SessionEntry,
  RunEvent: protocol.RunEvent,
} as const;

const written = (schema: z.ZodType, description: string): Named => ({
  schema,
  direction: "input",
  description,
});
const read = (schema: z.ZodType, description: string): Named => ({
  schema,
  direction: "output",
  description,
});

/** Every document of proto/schemas, by name. */
export const SCHEMAS = {
  Objective: written(protocol.Objective, "What a user asks for, in its JSON form."),
  ObjectiveReply: read(protocol.ObjectiveReply, "Answer to a request that carries an objective."),
  ExecWork: read(protocol.ExecWork, "The first line to a program that plays a role."),
  ExecAnswer: read(protocol.ExecAnswer, "What came back for a program's invocation."),
  ExecEvent: written(protocol.ExecEvent, "A line from a program that plays a role."),
  HandoffContract: written(protocol.HandoffContract, "One delegation down one edge of the org chart."),
  WorkOrder: read(protocol.WorkOrder, "A handoff as its worker receives it."),
  HandoffRequest: written(
    // The gateway checks the contract apart, to refuse it by its own field names.
    protocol.HandoffRequest.extend({ contract: protocol.HandoffContract }),
    "Asks the gateway to hand work down.",
  ),
  HandoffReply: read(protocol.HandoffReply, "The handoff was issued, or had been."),
  CollectRequest: written(protocol.CollectRequest, "Waits for events about the caller's own children."),
  CollectReply: read(protocol.CollectReply, "Events after the sequence asked for."),
  ResultRequest: written(protocol.ResultRequest, "A worker's result, the one end of its handoff."),
  ResultReply: read(protocol.ResultReply, "The result is stored."),
  CheckpointRequest: written(protocol.CheckpointRequest, "Partial output, kept for the deadline."),
  ClaimRequest: written(protocol.ClaimRequest, "Takes over a redelivered handoff under a new attempt."),
  ClaimReply: read(protocol.ClaimReply, "The token of the new attempt, or that the handoff has ended."),
  SpawnRequest: written(protocol.SpawnRequest, "Opens a session between roles."),
  SpawnReply: read(protocol.SpawnReply, "The session, and how many spawns are left."),
  SessionsListRequest: written(protocol.SessionsListRequest, "sessions_list."),
  SessionsListReply: read(protocol.SessionsListReply, "Answer to sessions_list."),
  SessionsHistoryRequest: written(protocol.SessionsHistoryRequest, "sessions_history."),
  SessionsHistoryReply: read(protocol.SessionsHistoryReply, "Answer to sessions_history."),
  SessionsSendRequest: written(protocol.SessionsSendRequest, "sessions_send."),
  SessionsSendReply: read(protocol.SessionsSendReply, "Answer to sessions_send."),
  SessionsSpawnRequest: written(protocol.SessionsSpawnRequest, "sessions_spawn."),
  SessionsSpawnReply: read(protocol.SessionsSpawnReply, "Answer to sessions_spawn."),
  ControlRequest: written(protocol.ControlRequest, "A user steers a run."),
  ControlReply: read(protocol.ControlReply, "What became of the run."),
  RunEvent: read(protocol.RunEvent, "An event of a run's log."),
  RunRecord: read(protocol.RunRecord, "A run's record in the key-value bucket."),
  TokenClaims: read(protocol.TokenClaims, "What a token says; workers pass it on and read nothing from it."),
  WireError: read(protocol.WireError, "The body of a refusal or failure."),
} as const satisfies Record<string, Named>;

/** The name of a schema document. */
export type SchemaName = keyof typeof SCHEMAS;

/** The file of a schema in proto/schemas. */
export function schemaFile(name: SchemaName): string {
  return `${name.replace(/(?<!^)(?=[A-Z])/g, "-").toLowerCase()}.schema.json`;
}

/** A schema as draft-07, which every validator and AsyncAPI 3.0 read; self-contained, parts under `definitions`. */
export function jsonSchemaOf(name: SchemaName): Record<string, unknown> {
  const { schema, direction, description } = SCHEMAS[name];
  const parts = z.registry<{ id: string }>();
  for (const [id, part] of Object.entries(PARTS)) if (part !== schema) parts.add(part, { id });
  const generated = z.toJSONSchema(schema, {
    target: "draft-7",
    io: direction,
    metadata: parts,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      // A name of zod's own; the pattern beside it says the same.
      if (jsonSchema.format === "starts_with") delete jsonSchema.format;
      // Only strict objects refuse unknown fields: a reader must let pass what a later version adds.
      if (zodSchema instanceof z.ZodObject && zodSchema.def.catchall === undefined) {
        delete jsonSchema.additionalProperties;
      }
    },
  });
  const { $schema, ...rest } = generated;
  return { $schema, $id: `urn:firm:v1:${name}`, title: name, description, ...rest };
}

/** The committed text of a schema's document. */
export function schemaText(name: SchemaName): string {
  return `${JSON.stringify(jsonSchemaOf(name), null, 2)}\n`;
}

/** Every schema name. */
export const SCHEMA_NAMES = Object.keys(SCHEMAS).filter((name): name is SchemaName =>
  Object.hasOwn(SCHEMAS, name),
);
