// Pure: a zod failure becomes one error that names the field and what to do.
import type * as z from "zod";
import { FirmError, type ErrorCode } from "./errors.ts";

/** The first issue of a zod error as a FirmError; `root` names the whole where the issue has no path. */
export function toFirmError(error: z.ZodError, root: string, code: ErrorCode = "invalid-input"): FirmError {
  const [issue] = error.issues;
  if (issue === undefined) return new FirmError(code, `${root} is not valid`, { field: root });
  const path = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    const names = issue.keys.map((key) => `"${key}"`).join(", ");
    const field = [path, issue.keys[0]].filter(Boolean).join(".");
    return new FirmError(
      code,
      `${names}: no such field${path === "" ? ` of ${root}` : ` of ${path}`}; check the spelling`,
      { field },
    );
  }
  const field = path === "" ? root : path;
  const more = error.issues.length > 1 ? ` (and ${error.issues.length - 1} more)` : "";
  return new FirmError(code, `${field}: ${issue.message}${more}`, { field });
}

/**
 * Parses with a schema at an edge.
 * @throws FirmError with `code`, naming the field.
 */
export function parseWith<T>(
  schema: z.ZodType<T>,
  input: unknown,
  root: string,
  code: ErrorCode = "invalid-input",
): T {
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw toFirmError(parsed.error, root, code);
  return parsed.data;
}

/**
 * Parses JSON text with a schema at an edge.
 * @throws FirmError with `code`, naming the field.
 */
export function parseJson<T>(
  schema: z.ZodType<T>,
  text: string,
  root: string,
  code: ErrorCode = "invalid-input",
): T {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (cause) {
    throw new FirmError(
      code,
      `${root} is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
      { field: root, cause },
    );
  }
  return parseWith(schema, input, root, code);
}
