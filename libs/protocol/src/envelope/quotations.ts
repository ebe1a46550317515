// Pure: what stands between quotation marks. Marks that open and close alike are told apart by what stands beside them.
import type { Meter } from "./meter.ts";

/** Opening mark → its closing mark, in pairs that nest and may go over paragraphs. */
const PAIRS: ReadonlyMap<string, string> = new Map([
  ["“", "”"],
  ["«", "»"],
  ["「", "」"],
  ["『", "』"],
  ["《", "》"],
]);
const PAIR_CLOSERS: ReadonlySet<string> = new Set(PAIRS.values());

/** Other ways to quote, within a paragraph: opening mark, closing marks. */
const MARKS: readonly (readonly [open: string, closers: string])[] = [
  ['"', '"'],
  ["'", "'"],
  ["＂", "＂"],
  ["”", "”"],
  ["’", "’"],
  ["‘", "’"],
  ["„", "“”"],
  ["‚", "‘’"],
  ["»", "«"],
  ["‹", "›"],
  ["›", "‹"],
];
/** Marks that are also letters' apostrophes or inches. */
const AMBIGUOUS = "\"'＂”’";

const INVOLVED: ReadonlyMap<string, readonly number[]> = new Map(
  Array.from(new Set(MARKS.flat().join("")), (mark) => [
    mark,
    MARKS.flatMap(([open, closers], index) => (open === mark || closers.includes(mark) ? [index] : [])),
  ]),
);

/** True where a quotation may begin. */
export function isMark(letter: string): boolean {
  return PAIRS.has(letter) || INVOLVED.has(letter);
}

/** True where a pair may begin, which is not bound to its paragraph. */
export function isPaired(letter: string): boolean {
  return PAIRS.has(letter);
}

/** Ends of the quotations of a text whose marks come in pairs: index of the opening mark → of the closing one. */
export function pairedMarks(text: string, meter: Meter): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open = new Map(Array.from(PAIR_CLOSERS, (closer): [string, number[]] => [closer, []]));
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    const closer = PAIRS.get(letter);
    if (closer !== undefined) open.get(closer)?.push(at);
    const begin = open.get(letter)?.pop();
    if (begin !== undefined) ends.set(begin, at);
  }
  meter.steps += text.length;
  return ends;
}

/** What a mark can be where it stands. */
type Sense = "opens" | "closes" | "either" | "neither";

/** One way to quote, in one paragraph. */
interface Way {
  readonly open: string;
  readonly closers: string;
  /** Opening marks that wait for their closing one. */
  readonly waiting: number[];
  /** The outermost quotation that ended last, with no other begun since: a later closing mark may be its true end. */
  ended: number | undefined;
  last: number;
}

/**
 * Ends of the other quotations of a paragraph: index of the opening mark → of the closing one. An opening mark without a
 * partner takes the paragraph's last closing mark; with none it quotes nothing.
 */
export function markedIn(
  text: string,
  start: number,
  end: number,
  meter: Meter,
): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const ways: Way[] = MARKS.map(([open, closers]) => ({
    open,
    closers,
    waiting: [],
    ended: undefined,
    last: -1,
  }));
  for (let at = start; at < end; at += 1) {
    for (const index of INVOLVED.get(text.charAt(at)) ?? []) {
      const way = ways[index];
      if (way !== undefined) step(way, at, senseOf(text, at, way), ends);
    }
  }
  for (const { waiting, last } of ways) {
    for (const begin of waiting) if (last > begin) ends.set(begin, last);
  }
  meter.steps += end - start;
  return ends;
}

function step(way: Way, at: number, sense: Sense, ends: Map<number, number>): void {
  const { waiting } = way;
  if (sense === "neither") return;
  if (sense === "opens" || (sense === "either" && waiting.length === 0)) {
    waiting.push(at);
    way.ended = undefined;
    return;
  }
  way.last = at;
  const begin = waiting.pop() ?? way.ended;
  if (begin === undefined) return;
  ends.set(begin, at);
  way.ended = waiting.length === 0 ? begin : undefined;
}

function senseOf(text: string, at: number, { open, closers }: Way): Sense {
  const letter = text.charAt(at);
  const before = text.charAt(at - 1);
  const after = text.charAt(at + 1);
  if (open !== closers) {
    if (letter === open) return "opens";
    return AMBIGUOUS.includes(letter) && isWord(after) ? "neither" : "closes";
  }
  if (isWord(before)) return isWord(after) ? "neither" : "closes";
  if (isWord(after)) return "opens";
  const isAfterSpace = before === "" || /\s/.test(before);
  const isBeforeSpace = after === "" || /\s/.test(after);
  if (isAfterSpace === isBeforeSpace) return "either";
  return isAfterSpace ? "opens" : "closes";
}

function isWord(letter: string): boolean {
  return /[\p{L}\p{N}]/u.test(letter);
}
