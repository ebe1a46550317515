// Pure: functions that are too long to be read at once, by braces or by indentation.
import type { Finding } from "@firm/protocol";
import { finding } from "../findings.ts";
import { CODE } from "./mask.ts";
import type { Source } from "./source.ts";

/** Lines; what does not fit on two screens. */
const LONG = 100;

/** How a function begins in languages with braces; group 1, 2 or 3 is its name. */
const BEGIN =
  /\bfunction\s*\*?\s+([\w$]+)\s*[(<]|\bfunc\s+(?:\([^)\n]*\)\s*)?(\w+)\s*\(|\bfn\s+(\w+)\s*[(<]/g;
const PYTHON = /^([ \t]*)(?:async\s+)?def\s+(\w+)/;

export function longFunctions(source: Source): Finding[] {
  if (source.test || !source.language.code) return [];
  return source.language.syntax === "python" ? byIndentation(source) : byBraces(source);
}

function byBraces(source: Source): Finding[] {
  const found: Finding[] = [];
  for (const match of source.text.matchAll(BEGIN)) {
    if (source.kindAt(match.index) !== CODE) continue;
    const first = source.lineOf(match.index);
    const end = endOfBody(source, match.index + match[0].length);
    if (end === undefined) continue;
    found.push(
      ...report(source, match[1] ?? match[2] ?? match[3] ?? "", first, source.lineOf(end) - first + 1),
    );
  }
  return found;
}

/** Offset of the brace that closes the first body after the parameters; undefined where there is none. */
function endOfBody(source: Source, from: number): number | undefined {
  let round = 1;
  let depth = 0;
  let bodyBegun = false;
  for (let i = from; i < source.text.length; i++) {
    if (source.kindAt(i) !== CODE) continue;
    const char = source.text[i];
    if (char === "(") round++;
    else if (char === ")") round--;
    else if (char === ";" && depth === 0 && round <= 0) return undefined;
    else if (char === "{") {
      // A brace inside the parameters or the return type opens a type, not the body.
      if (round <= 0) bodyBegun = true;
      depth++;
    } else if (char === "}") {
      depth--;
      if (depth === 0 && bodyBegun && !/^\s*\{/.test(source.text.slice(i + 1, i + 20))) return i;
      if (depth < 0) return undefined;
    }
  }
  return undefined;
}

function byIndentation(source: Source): Finding[] {
  const found: Finding[] = [];
  for (const [i, line] of source.lines.entries()) {
    const match = PYTHON.exec(line);
    if (match === null) continue;
    const indent = (match[1] ?? "").length;
    let last = i;
    for (let j = i + 1; j < source.lines.length; j++) {
      const other = source.lines[j] ?? "";
      if (other.trim() === "") continue;
      if (other.length - other.trimStart().length <= indent && !/^\s*[)\]]/.test(other)) break;
      last = j;
    }
    found.push(...report(source, match[2] ?? "", i + 1, last - i + 1));
  }
  return found;
}

function report(source: Source, name: string, line: number, lines: number): Finding[] {
  if (lines <= LONG) return [];
  return [
    finding(
      "code.long-function",
      { file: source.path, line, content: name },
      {
        title: `${name} is ${lines} lines long`,
        severity: lines > 3 * LONG ? "medium" : "low",
        detail: "Nobody can see at once what it does, and it cannot be tested in parts.",
        recommendation: "Split it into steps with names of their own.",
      },
    ),
  ];
}
