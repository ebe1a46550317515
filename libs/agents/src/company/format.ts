// Pure: how executives write numbers ($280K, $1.2M, 9.9 months), and reading them back from a colleague's words.
import type { Unit } from "./owners.ts";

const SYMBOLS: Readonly<Record<string, string>> = { USD: "$", EUR: "€", GBP: "£", JPY: "¥" };
/** Longest line of an answer, in characters. */
const MAX_LINE = 400;

/** `$280K`, `$1.2M`, `CHF 12.5K`, `-$40K`: three digits count, no zeros at the end. */
export function money(amount: number, currency: string): string {
  const symbol = SYMBOLS[currency] ?? `${currency} `;
  const size = Math.abs(amount);
  const sign = amount < 0 && size >= 0.5 ? "-" : "";
  const steps: readonly [number, string][] = [
    [1e9, "B"],
    [1e6, "M"],
    [1e3, "K"],
  ];
  for (const [step, letter] of steps) {
    // 999,500 and more are a million once rounded.
    if (size >= step * 0.9995) return `${sign}${symbol}${threeDigits(size / step)}${letter}`;
  }
  return `${sign}${symbol}${Math.round(size)}`;
}

function threeDigits(value: number): string {
  const decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return String(Number(value.toFixed(decimals)));
}

/** `9.9 months`; without end where more comes in than goes out. */
export function months(value: number): string {
  return Number.isFinite(value) ? `${value.toFixed(1)} months` : "no limit";
}

/** `58%`, `0.5%`, `99.95%`. */
export function percent(value: number): string {
  const size = Math.abs(value);
  return `${Number(value.toFixed(size >= 99 && size < 100 ? 2 : size >= 10 ? 0 : 1))}%`;
}

/** A number with its unit, as it stands in a data point. */
export function written(value: number, unit: Unit, currency: string): string {
  switch (unit) {
    case "money":
      return money(value, currency);
    case "money/month":
      return `${money(value, currency)} a month`;
    case "money/year":
      return `${money(value, currency)} a year`;
    case "percent":
      return percent(value);
    case "months":
      return months(value);
    case "days":
    case "weeks":
    case "hours":
      return `${Number(value.toFixed(1))} ${unit}`;
    case "count":
      return String(Number(value.toFixed(1)));
    case "ratio":
      return String(Number(value.toFixed(2)));
  }
}

const MAGNITUDES: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9 };
const AMOUNT = /(-?)(?:[A-Z]{3} ?|[$€£¥])?(\d[\d,]*(?:\.\d+)?) ?([kmb](?![a-z]))?/i;

/** The first number in a text, `$1.2M` as 1200000; undefined where there is none. */
export function amountIn(text: string): number | undefined {
  const match = AMOUNT.exec(text);
  if (match === null) return undefined;
  const [, sign = "", digits = "", letter = ""] = match;
  const value = Number(digits.replaceAll(",", "")) * (MAGNITUDES[letter.toLowerCase()] ?? 1);
  return sign === "-" ? -value : value;
}

/** The number after `label:` at the beginning of a data point of a colleague's answer; undefined where there is none. */
export function quotedFigure(text: string, label: string): number | undefined {
  const wanted = `${label.toLowerCase()}:`;
  for (const part of text.split(/\n|; /)) {
    const point = part.replace(/^[\s\-*•·]+/, "");
    if (point.toLowerCase().startsWith(wanted)) return amountIn(point.slice(wanted.length));
  }
  return undefined;
}

/** One line without square brackets: what is only quoted can never be read as an envelope. */
export function oneLine(text: string, most = MAX_LINE): string {
  const line = text.replaceAll("[", "(").replaceAll("]", ")").replace(/\s+/g, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).trimEnd()}…`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(items: readonly string[]): string {
  return items.length < 2 ? (items[0] ?? "") : `${items.slice(0, -1).join(", ")} and ${items.at(-1) ?? ""}`;
}

/** Where a phrase stands in a text as whole words; −1 where it does not. Both in the same case. */
export function wordsAt(text: string, phrase: string): number {
  for (let at = text.indexOf(phrase); at >= 0 && phrase !== ""; at = text.indexOf(phrase, at + 1)) {
    const before = text[at - 1] ?? " ";
    const after = text[at + phrase.length] ?? " ";
    if (!/[\p{L}\p{N}]/u.test(before) && !/[\p{L}\p{N}]/u.test(after)) return at;
  }
  return -1;
}
