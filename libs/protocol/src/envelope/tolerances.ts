// Pure: what the reader takes although the printer writes it otherwise. Anything that is not here is an error with a position.

/** One deviation that language models make, and what becomes of it. */
export interface Tolerance {
  readonly name: string;
  readonly written: string;
  readonly read: string;
}

export const TOLERANCES: readonly Tolerance[] = [
  { name: "prose", written: "text before, between and after envelopes", read: "is passed over" },
  {
    name: "case",
    written: "markers, labels, roles and confidence in any case",
    read: "as the printer writes them",
  },
  {
    name: "blanks",
    written: "blanks after an opening bracket, around `:`, `|` and arrows",
    read: "do not count",
  },
  {
    name: "brackets",
    written: "full-width brackets `［］`, `【】`, colon `：` and bar `｜`",
    read: "as the ASCII ones",
  },
  {
    name: "emphasis",
    written: "`*`, `_` and backticks around roles, labels and values",
    read: "do not count",
  },
  { name: "bullets", written: "`*`, `•`, `+`, `·`, `1.` and `1)` before data points", read: "as `-`" },
  { name: "line ends", written: "CR LF, CR, U+0085, U+2028 and U+2029", read: "as LF" },
  { name: "arrows", written: "`->`, `=>`, `⇒` in a chain", read: "as `→`" },
  { name: "dashes", written: "`–`, ` - `, ` -- ` or `:` before the reason of a refusal", read: "as ` — `" },
  {
    name: "no closing tag",
    written: "a response without `[/RESPONSE]`",
    read: "ends before the next response or with the text",
  },
  { name: "named closing tag", written: "`[/RESPONSE:cfo]`", read: "as `[/RESPONSE]`" },
  { name: "several responses", written: "responses of several roles in one text", read: "one after another" },
  { name: "nested response", written: "a response inside a response", read: "is no part of the outer one" },
  {
    name: "fenced response",
    written: "a response that is the whole of a fenced block",
    read: "as the answer where no other is there",
  },
  {
    name: "value below its label",
    written: "a key finding, confidence or caveat on the line under its label",
    read: "as on the label's line",
  },
  {
    name: "lines beside the fields",
    written: "chain, refusal and assumptions inside a response",
    read: "are not stray; an assumption counts",
  },
  {
    name: "assumption without brackets",
    written: "`State assumption used instead: text`",
    read: "as the text in brackets",
  },
  {
    name: "invisible characters",
    written: "terminal sequences and invisible characters inside a text",
    read: "are removed; inside a marker they are an error",
  },
];
