// Pure: the fenced JSON block in a text that a person can read as well.
import type * as z from "zod";

/** What a schema made of the block, or why it could not. */
export type Block<T> =
  | { readonly ok: true; readonly value: T; readonly prose: string }
  | { readonly ok: false; readonly problem: string };

/** Opening fence, content, closing fence; the info string must say json. */
const FENCE = /^[ \t]*```json[ \t]*\r?\n([\s\S]*?)^[ \t]*```[ \t]*$/gm;

/** The last block counts: what comes before may be quoted. */
export function readBlock<T>(text: string, schema: z.ZodType<T>): Block<T> {
  const found = [...text.matchAll(FENCE)].at(-1);
  if (found === undefined) return { ok: false, problem: "it holds no ```json block" };
  let input: unknown;
  try {
    input = JSON.parse(found[1] ?? "");
  } catch (error) {
    return {
      ok: false,
      problem: `its JSON block does not parse: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
  const parsed = schema.safeParse(input);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return {
      ok: false,
      problem: `its JSON block is not valid: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`,
    };
  }
  return { ok: true, value: parsed.data, prose: text.replace(found[0], "").trim() };
}
