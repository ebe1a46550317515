// Pure: text of agents and users inside a Markdown document of ours: it may not change the document around it.

const CODE_SPAN = /(`[^`\n]+`)/;

/** One line of running text: no table cells, links, images, emphasis or HTML of its own; code spans stay. */
export function inline(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line
    .split(CODE_SPAN)
    .map((piece, i) => (i % 2 === 1 && !ambiguous(piece) ? piece.replaceAll("|", "\\|") : plain(piece)))
    .join("");
}

function plain(text: string): string {
  return text.replace(/[\\`*[\]|<]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&");
}

/** Code spans know no escapes, tables escape their bar even there: with a backslash of its own a span can say neither surely. */
function ambiguous(text: string): boolean {
  return text.includes("\\") && text.includes("|");
}

/** As `inline`, and not read as a heading, list item or quote where it opens a line. */
export function lineStart(text: string): string {
  return inline(text).replace(/^(?:[#>+=~-]|\d+(?=[.)]))/, (mark) =>
    /^\d/.test(mark) ? `${mark}\\` : `\\${mark}`,
  );
}

/** A code span around any text, e.g. a file's name. */
export function code(text: string): string {
  if (ambiguous(text)) return inline(text);
  const line = text.replace(/\s+/g, " ").replaceAll("|", "\\|");
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/**
 * A whole document of its own inside ours: headings go down by `levels`, raw HTML is shown and not obeyed, open code fences are closed,
 * and lines equal to `without` are left out.
 */
export function embed(markdown: string, levels: number, without: string): string {
  let fence: string | undefined;
  const lines: string[] = [];
  for (const line of markdown.replace(/\r\n?/g, "\n").trim().split("\n")) {
    if (line.trim() === without) continue;
    const mark = FENCE.exec(line);
    const run = mark?.[1];
    if (fence !== undefined) {
      if (run !== undefined && run.startsWith(fence) && mark?.[2]?.trim() === "") fence = undefined;
      lines.push(line);
    } else if (run !== undefined && !(run.startsWith("`") && mark?.[2]?.includes("`"))) {
      fence = run;
      lines.push(line);
    } else {
      lines.push(demote(withoutHtml(line), levels));
    }
  }
  if (fence !== undefined) lines.push(fence);
  return lines.join("\n").trim();
}

function demote(line: string, levels: number): string {
  return line.replace(
    /^( {0,3})(#{1,6})(?=\s|$)/,
    (_, indent: string, marks: string) => indent + "#".repeat(Math.min(6, marks.length + levels)),
  );
}

/** Outside code spans, `<` before a name, slash, mark of a comment or declaration opens HTML. Autolinks (`<https:`) stay. */
function withoutHtml(line: string): string {
  return line
    .split(CODE_SPAN)
    .map((piece, i) => (i % 2 === 1 ? piece : piece.replace(/<(?=[a-z/!?])(?!https?:)/gi, "&lt;")))
    .join("");
}
