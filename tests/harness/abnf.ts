// Owns the engine that holds texts against proto/firm.abnf.
import { readFileSync } from "node:fs";
import apg from "apg-js";

const source = readFileSync(new URL("../../proto/firm.abnf", import.meta.url), "utf8");
const api = new apg.apgApi(source);
api.generate();
if (api.errors.length > 0) throw new Error(`proto/firm.abnf: ${api.errorsToAscii()}`);
const grammar = api.toObject();

/** True where the whole text is derived from the rule. */
export function matches(rule: string, text: string): boolean {
  const codes = Array.from(text, (letter) => letter.codePointAt(0) ?? 0);
  return new apg.apgLib.parser().parse(grammar, rule, codes).success;
}
