// Holds the list of tolerances to the reader: each is taken, and means what the printer's form means.
import { describe, expect, it } from "vitest";
import { checkResponse, readEnvelopes, TOLERANCES } from "./index.ts";

const PRINTED = `[RESPONSE:cfo]
Key finding: Nine months
Supporting data:
  - Cash: $3M
  - Burn: $280K
Confidence: high
Caveat: Burn stays flat
[/RESPONSE]`;
const ANSWER = checkResponse(PRINTED, "cfo");
const ASKED = { kind: "invoke", role: "cfo", question: "Why?" };
const CHAIN = { kind: "chain", roles: ["cro", "cfo"] };
const BLOCKED = { kind: "blocked", role: "cfo", reason: "no" };

const asked = (...texts: string[]): (() => void)[] => spoken(ASKED, ...texts);
function spoken(envelope: unknown, ...texts: string[]): (() => void)[] {
  return texts.map((text) => () => {
    const { envelopes, problems } = readEnvelopes(text);
    expect([envelopes.map((found) => found.envelope), problems]).toEqual([[envelope], []]);
  });
}
const answered = (...texts: string[]): (() => void)[] =>
  texts.map((text) => () => expect(checkResponse(text, "cfo")).toEqual(ANSWER));

/** Tolerance → texts that make use of it, each a check of its own. */
const SAMPLES: Readonly<Record<string, readonly (() => void)[]>> = {
  prose: [
    ...asked("I ask the CFO: [INVOKE:cfo|Why?] and go on.", "First.\n\n[INVOKE:cfo|Why?]\n\nThen."),
    ...answered(`Here it is:\n${PRINTED}\nRegards`),
  ],
  case: [
    ...asked("[Invoke:CFO|Why?]", "[invoke:cfo|Why?]"),
    ...answered(
      PRINTED.toUpperCase()
        .replace("NINE MONTHS", "Nine months")
        .replace("CASH: $3M", "Cash: $3M")
        .replace("BURN: $280K", "Burn: $280K")
        .replace("BURN STAYS FLAT", "Burn stays flat"),
    ),
  ],
  blanks: [
    ...asked("[ INVOKE : cfo | Why? ]", "[\tINVOKE:cfo |Why?]"),
    ...spoken(CHAIN, "[ CHAIN :cro→cfo ]"),
  ],
  brackets: [
    ...asked("［INVOKE：cfo｜Why?］", "【INVOKE:cfo|Why?】"),
    ...answered(PRINTED.replaceAll("[", "【").replaceAll("]", "】")),
  ],
  emphasis: [
    ...asked("[INVOKE:**cfo**|Why?]", "[INVOKE:`cfo`|Why?]", "**[INVOKE:cfo|Why?]**"),
    ...answered(
      PRINTED.replace("Key finding:", "**Key finding:**")
        .replace("Caveat:", "*Caveat*:")
        .replace("high", "`high`"),
      PRINTED.replace("[RESPONSE:cfo]", "**[RESPONSE:cfo]**").replace("[/RESPONSE]", "**[/RESPONSE]**"),
    ),
  ],
  bullets: ["*", "•", "+", "·", "1.", "1)"].flatMap((bullet) =>
    answered(PRINTED.replaceAll("  - ", `${bullet} `)),
  ),
  "line ends": ["\r\n", "\r", "\u0085", "\u2028", "\u2029"].flatMap((end) =>
    answered(PRINTED.replaceAll("\n", end)),
  ),
  arrows: ["->", "=>", "⇒"].flatMap((arrow) => spoken(CHAIN, `[CHAIN: cro ${arrow} cfo]`)),
  dashes: ["–", " - ", " -- ", ": "].flatMap((dash) =>
    spoken(BLOCKED, `[BLOCKED: cannot invoke cfo${dash}no]`),
  ),
  "no closing tag": answered(
    PRINTED.replace("\n[/RESPONSE]", ""),
    `${PRINTED.replace("\n[/RESPONSE]", "")}\n${PRINTED.replace("cfo", "coo")}`,
  ),
  "named closing tag": answered(PRINTED.replace("/RESPONSE", "/RESPONSE:cfo")),
  "several responses": answered(`${PRINTED}\n\n${PRINTED.replace("cfo", "coo")}`),
  "nested response": answered(PRINTED.replace("Supporting", `${PRINTED.replace("cfo", "coo")}\nSupporting`)),
  "fenced response": answered(`My answer:\n\n\`\`\`text\n${PRINTED}\n\`\`\``, `~~~\n${PRINTED}\n~~~`),
  "value below its label": answered(
    PRINTED.replace("Key finding: ", "Key finding:\n"),
    PRINTED.replace("Confidence: ", "Confidence:\n").replace("Caveat: ", "Caveat:\n\n"),
  ),
  "lines beside the fields": answered(
    PRINTED.replace(
      "Confidence",
      "[CHAIN: cro → cfo]\n[ASSUMPTION: flat]\n[BLOCKED: cannot invoke cro — no]\nConfidence",
    ),
  ),
  "assumption without brackets": spoken(
    { ...BLOCKED, assumption: "burn is flat" },
    "[BLOCKED: cannot invoke cfo — no]\nState assumption used instead: burn is flat",
  ),
  "invisible characters": [
    ...asked("[INVOKE:cfo|Wh\u200by?]", "[INVOKE:cfo|\u001b[1mWhy?\u001b[0m]"),
    () => {
      const { envelopes, problems } = readEnvelopes("[INV\u200bOKE:cfo|Why?]");
      expect([envelopes, problems.map(({ problem }) => problem)]).toEqual([[], ["control-character"]]);
    },
  ],
};

it("each stands once, and has its samples", () => {
  expect(Object.keys(SAMPLES).toSorted()).toEqual(TOLERANCES.map(({ name }) => name).toSorted());
});

describe.each(Object.entries(SAMPLES))("%s", (_, samples) => {
  it.each(samples.map((sample, index) => [index + 1, sample] as const))("sample %i", (_index, sample) => {
    sample();
  });
});
