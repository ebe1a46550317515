// Pure: work that the authors noted in comments and left.
import type { Finding } from "@firm/protocol";
import { finding } from "../findings.ts";
import { COMMENT } from "./mask.ts";
import type { Source } from "./source.ts";

/** A marker at the beginning of a comment's line, or one with an owner or a colon: not the word in a sentence. */
const MARKER = /\b(TODO|FIXME|HACK|XXX|BUG)\b(\([^)\n]{0,60}\))?\s*(:?)\s*([^\n]*)/g;
const BEGINS = /^\s*(?:\/\/+|\/\*+|\*+|#+|--+|<!--)?\s*$/;

const SEVERITY: Readonly<Record<string, Finding["severity"]>> = {
  FIXME: "medium",
  BUG: "medium",
  HACK: "low",
  XXX: "low",
  TODO: "low",
};

export function notesIn(source: Source): Finding[] {
  if (!source.language.code) return [];
  const found: Finding[] = [];
  for (const match of source.text.matchAll(MARKER)) {
    if (source.kindAt(match.index) !== COMMENT) continue;
    const line = source.lineOf(match.index);
    const before = source.text.slice(source.text.lastIndexOf("\n", match.index - 1) + 1, match.index);
    const afterCode = before.replace(/^.*(\/\/|\/\*|#|--)/, "$1");
    const [, marker = "TODO", owner, colon, words = ""] = match;
    if (!(BEGINS.test(afterCode) || colon === ":" || owner !== undefined)) continue;
    const text = words.replace(/\s*(?:\*\/|-->)\s*$/, "").trim();
    found.push(
      finding(
        "note",
        { file: source.path, line, content: `${marker} ${text}` },
        {
          title: `${marker}: ${text.slice(0, 200) || "(without words)"}`,
          severity: source.test ? "info" : (SEVERITY[marker] ?? "low"),
          recommendation: "Do it, or move it to the issue tracker and name the issue here.",
        },
      ),
    );
  }
  return found;
}
