// Owns a source made from a text, for tests of rules.
import { languageOf } from "../backends/playbook/scan/languages.ts";
import { sourceOf, type Source } from "../backends/playbook/scan/source.ts";
import { FirmError } from "@firm/protocol";

export function testSource(path: string, text: string): Source {
  const language = languageOf(path);
  if (language === undefined) throw new FirmError("invalid-input", `${path} is in no known language`);
  return sourceOf(path, text, language);
}
