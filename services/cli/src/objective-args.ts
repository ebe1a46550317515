// Pure: command line options and an objective file become one objective; options win over the file.
import { FirmError, Objective, type ErrorDetail, toFirmError } from "@firm/protocol";
import { parse as parseYaml, YAMLParseError } from "yaml";

/** The options of `firm run` that say what is asked for, as commander hands them over. */
export interface ObjectiveOptions {
  department?: string[];
  constraint?: string[];
  done?: string;
  format?: string;
  context?: string;
  replySession?: string;
  workspace?: string;
  allowRun?: boolean;
  deadline?: string;
  budgetUsd?: string;
  budgetTokens?: string;
  budgetInvocations?: string;
  budgetSpawns?: string;
  budgetSeconds?: string;
}

/** Field of the objective → the option that sets it, for error messages. */
const OPTION_OF: Readonly<Record<string, string>> = {
  objective: "the objective",
  departments: "--department",
  constraints: "--constraint",
  definition_of_done: "--done",
  delivery_format: "--format",
  context_ref: "--context",
  reply_session: "--reply-session",
  workspace: "--workspace",
  allow_run: "--allow-run",
  deadline_seconds: "--deadline",
  "budget.usd": "--budget-usd",
  "budget.tokens": "--budget-tokens",
  "budget.invocations": "--budget-invocations",
  "budget.spawns": "--budget-spawns",
  "budget.seconds": "--budget-seconds",
};

/**
 * Builds the objective.
 * @param text the objective's words; undefined where the file has them
 * @param file the text of `--file`, JSON or YAML
 * @param absolute makes a path absolute
 * @throws FirmError `invalid-input` that names the field, and the option where one set it.
 */
export function objectiveOf(
  text: string | undefined,
  options: ObjectiveOptions,
  file: { readonly name: string; readonly text: string } | undefined,
  absolute: (path: string) => string,
): Objective {
  const base = file === undefined ? {} : fieldsOf(file);
  const fromOptions = fieldsOfOptions(text, options);
  const merged: Record<string, unknown> = { ...base, ...fromOptions };
  if (isRecord(base.budget) && isRecord(fromOptions.budget))
    merged.budget = { ...base.budget, ...fromOptions.budget };
  if (typeof merged.workspace === "string") merged.workspace = absolute(merged.workspace);
  if (merged.objective === undefined) {
    throw new FirmError("invalid-input", "objective must not be empty: say what the firm shall do", {
      field: "objective",
      hint: 'firm run "Audit this repository" --workspace .',
    });
  }
  const parsed = Objective.safeParse(merged);
  if (parsed.success) return parsed.data;
  throw withOption(toFirmError(parsed.error, "objective"), fromOptions);
}

function fieldsOfOptions(text: string | undefined, o: ObjectiveOptions): Record<string, unknown> {
  const budget = present({
    usd: numeric(o.budgetUsd),
    tokens: numeric(o.budgetTokens),
    invocations: numeric(o.budgetInvocations),
    spawns: numeric(o.budgetSpawns),
    seconds: numeric(o.budgetSeconds),
  });
  return present({
    objective: text,
    departments: o.department?.flatMap((names) => names.split(",")).map((name) => name.trim()),
    constraints: o.constraint,
    definition_of_done: o.done,
    delivery_format: o.format,
    context_ref: o.context,
    reply_session: o.replySession,
    workspace: o.workspace,
    allow_run: o.allowRun,
    deadline_seconds: numeric(o.deadline),
    budget: Object.keys(budget).length === 0 ? undefined : budget,
  });
}

/** A number where the text is one; else the text, so that the schema refuses it by name. */
function numeric(text: string | undefined): number | string | undefined {
  if (text === undefined || text.trim() === "") return text;
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}

function fieldsOf(file: { readonly name: string; readonly text: string }): Record<string, unknown> {
  let input: unknown;
  try {
    // YAML 1.2 contains JSON, so one parser reads both.
    input = parseYaml(file.text, { maxAliasCount: 0 });
  } catch (cause) {
    if (!(cause instanceof YAMLParseError) && !(cause instanceof ReferenceError)) throw cause;
    throw new FirmError(
      "invalid-input",
      `${file.name} is neither JSON nor YAML: ${firstLine(cause.message)}`,
      {
        field: "--file",
        cause,
      },
    );
  }
  if (typeof input === "string") return { objective: input };
  if (isRecord(input)) return input;
  throw new FirmError("invalid-input", `${file.name} holds no objective: write "objective: …" in it`, {
    field: "--file",
    hint: 'the fields are those of firm.objective, e.g. {"objective": "…", "departments": ["quality"]}',
  });
}

function withOption(error: FirmError, fromOptions: Record<string, unknown>): FirmError {
  const field = error.field ?? "objective";
  const name = Object.hasOwn(OPTION_OF, field) ? field : (field.split(".")[0] ?? field);
  const option = OPTION_OF[name];
  const top = name.split(".")[0] ?? name;
  if (option === undefined || fromOptions[top] === undefined || top === "objective") return error;
  const detail: ErrorDetail = { field, cause: error };
  if (error.hint !== undefined) detail.hint = error.hint;
  return new FirmError(error.code, `${option}: ${error.message}`, detail);
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? text;
}
