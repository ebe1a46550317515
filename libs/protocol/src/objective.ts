// Pure: the objective and the three forms it may arrive in: JSON, the skill's own block, plain text (seed: firm-orchestration, "Usage").
import { parse as parseYaml, YAMLParseError } from "yaml";
import * as z from "zod";
import { ContextRef } from "./contract.ts";
import { FirmError } from "./errors.ts";
import { INVOCABLE_ROLES, Slug } from "./roles.ts";
import { toFirmError } from "./validation.ts";

/** How the deliverable is written. */
export const DELIVERY_FORMATS = ["markdown_report", "json", "github_pr"] as const;
export const DeliveryFormat = z.enum(DELIVERY_FORMATS);
export type DeliveryFormat = z.infer<typeof DeliveryFormat>;

/** Limits over the whole tree of a run; what is absent is not limited beyond the defaults. */
export const Budget = z.strictObject({
  usd: z.number().positive().optional(),
  tokens: z.int().positive().optional(),
  invocations: z.int().nonnegative().optional(),
  /** Never more than the seed's 20. */
  spawns: z.int().min(0).max(20).optional(),
  seconds: z.number().positive().optional(),
});
export type Budget = z.infer<typeof Budget>;

/** What kind of run an objective asks for. */
export const RUN_KINDS = ["run", "board"] as const;

/** Settings of a board meeting (seed: agent-protocol, "Isolation Rules"). */
export const Board = z.strictObject({
  /** Participants; default: by the topic of the question. */
  roles: z
    .array(z.enum(INVOCABLE_ROLES))
    .min(2, "must name at least two roles")
    .max(INVOCABLE_ROLES.length)
    .optional(),
  /** Minutes the founder has to decide before the meeting closes as pending review. */
  decision_minutes: z.number().min(0.01).max(10_080).default(30),
});
export type Board = z.infer<typeof Board>;

/** What a user asks for; everything but `objective` has a default. */
export const Objective = z.strictObject({
  /** Absent: `run`. */
  kind: z.enum(RUN_KINDS).optional(),
  objective: z
    .string()
    .trim()
    .min(1, "must not be empty: say what the firm shall do")
    .max(32_768, "must be at most 32768 characters"),
  /** Departments by name; default: all that the org chart has. */
  departments: z
    .array(Slug)
    .min(1, "must name at least one department, or be left out for all")
    .max(20)
    .optional(),
  constraints: z.array(z.string().trim().min(1).max(2_000)).max(50).default([]),
  definition_of_done: z.string().trim().min(1).max(4_000).optional(),
  delivery_format: DeliveryFormat.default("markdown_report"),
  context_ref: ContextRef.optional(),
  reply_session: z
    .string()
    .regex(/^[A-Za-z0-9_:.+-]{1,128}$/, "may hold letters, digits and _ : . + -, at most 128")
    .default("main"),
  /** Absolute path of the directory to work on. */
  workspace: z.string().startsWith("/", "must be an absolute path").max(4_096).optional(),
  /** The workspace's own checks may be run. */
  allow_run: z.boolean().default(false),
  /** Hard deadline of the run, seconds (seed: 30). */
  deadline_seconds: z
    .number()
    .min(0.05, "must be at least 0.05")
    .max(86_400, "must be at most 86400 (a day)")
    .default(30),
  budget: Budget.default({}),
  board: Board.optional(),
});
export type Objective = z.infer<typeof Objective>;

const BLOCK_HEAD = /^\s*@firm-orchestration\b[ \t]*(\S*)[ \t]*/;

/** Values for what an objective leaves out, from firm.yaml. */
export interface ObjectiveDefaults {
  readonly deadline_seconds?: number;
}

/**
 * Reads an objective from a message body.
 * @throws FirmError `invalid-input` naming the field.
 */
export function parseObjective(body: string, defaults: ObjectiveDefaults = {}): Objective {
  const text = body.trim();
  if (text === "")
    throw new FirmError("invalid-input", "objective must not be empty: say what the firm shall do", {
      field: "objective",
    });
  const input = text.startsWith("{")
    ? fromJson(text)
    : text.startsWith("@firm-orchestration")
      ? fromBlock(text)
      : { objective: text };
  const isFields = typeof input === "object" && input !== null && !Array.isArray(input);
  const parsed = Objective.safeParse(isFields ? { ...defaults, ...input } : input);
  if (!parsed.success) throw toFirmError(parsed.error, "objective");
  return parsed.data;
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FirmError(
      "invalid-input",
      `the objective starts with "{" but is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        field: "objective",
        hint: 'send {"objective": "…"}, or plain text that does not start with "{"',
        cause,
      },
    );
  }
}

function fromBlock(text: string): unknown {
  const head = BLOCK_HEAD.exec(text);
  const verb = head?.[1] ?? "";
  if (head === null || verb !== "run") {
    throw new FirmError(
      "invalid-input",
      `"@firm-orchestration ${verb}" is not known: use "@firm-orchestration run" and its fields below it`,
      {
        field: "objective",
      },
    );
  }
  try {
    const fields: unknown = parseYaml(text.slice(head[0].length), { maxAliasCount: 0 });
    if (typeof fields === "string") return { objective: fields };
    return fields ?? {};
  } catch (cause) {
    const where = cause instanceof YAMLParseError ? `: ${cause.message}` : "";
    throw new FirmError("invalid-input", `the fields below "@firm-orchestration run" are not YAML${where}`, {
      field: "objective",
      hint: 'write one "name: value" a line, indented alike',
      cause,
    });
  }
}
