// Pure: from an index of a JavaScript string to a position that any language can count.
import type { Position } from "./errors.ts";

/** A position is found by walking at most this far. */
const STRIDE = 1024;

/** Finds positions in one text, in constant time each after one pass. */
export class Locator {
  readonly #text: string;
  #marks: Position[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The position of an index; the end of the text has one, too. */
  at(index: number): Position {
    this.#marks ??= this.#survey();
    const mark = Math.floor(index / STRIDE);
    const from = this.#marks[mark] ?? { offset: 0, line: 1, column: 1 };
    return this.#walk(from, mark * STRIDE, index);
  }

  #survey(): Position[] {
    const marks: Position[] = [{ offset: 0, line: 1, column: 1 }];
    for (let at = STRIDE; at <= this.#text.length; at += STRIDE) {
      const last = marks.at(-1) ?? { offset: 0, line: 1, column: 1 };
      marks.push(this.#walk(last, at - STRIDE, at));
    }
    return marks;
  }

  #walk(from: Position, start: number, end: number): Position {
    let { offset, line, column } = from;
    for (let at = start; at < end; at += 1) {
      const unit = this.#text.charCodeAt(at);
      const isSecondHalf = unit >= 0xdc00 && unit < 0xe000 && isHigh(this.#text.charCodeAt(at - 1));
      if (isSecondHalf) continue;
      offset += 1;
      column += 1;
      if (unit === 10 || (unit === 13 && this.#text.charCodeAt(at + 1) !== 10)) {
        line += 1;
        column = 1;
      }
    }
    return { offset, line, column };
  }
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
