// Pure: one role's turn at a question: ask the colleague who owns a number, or answer in the format (seed: agent-protocol, "Response Format", "When to Invoke vs When to Assume").
import { coveragePct } from "./calculators/revenue.ts";
import { daysBetween } from "./dates.ts";
import { cash, fitted, share, type Confidence, type Draft } from "./draft.ts";
import { Figures, mayAsk, type Colleague, type Situation } from "./figures.ts";
import { listed, oneLine, quotedFigure } from "./format.ts";
import { askForNumbers, headlines, lastResort, numbersAsked, numbersNamed, overview } from "./headlines.ts";
import type { CsuiteRole } from "./owners.ts";
import { particularsOf, type Particulars } from "./question.ts";
import type { Company } from "./schema.ts";
import { CALCULATIONS, questionTo, subjectOf } from "./topics/calculations.ts";
import { ARR_NEEDED } from "./topics/finance.ts";
import { weightedPipeline } from "./topics/revenue.ts";
import { topicsOf, type Topic } from "./topics.ts";

export interface AnswerInput {
  readonly role: CsuiteRole;
  readonly question: string;
  readonly company: Company;
  /** Answers and refusals obtained so far. */
  readonly colleagues: readonly Colleague[];
  /** Board meeting phase, 0 outside one; in 2 and 3 nobody is invoked. */
  readonly phase: number;
  /** ISO date. */
  readonly today: string;
  /** Roles the question came through, first asker first (seed: "Chain Tracking"); this role may stand at its end or be left out. */
  readonly chain?: readonly string[];
}

export interface Invocation {
  readonly role: CsuiteRole;
  readonly question: string;
}

export interface ExecutiveResponse {
  readonly keyFinding: string;
  /** Two or three. */
  readonly supportingData: readonly string[];
  readonly confidence: Confidence;
  readonly caveat: string;
}

export type Answer =
  | { readonly kind: "invoke"; readonly calls: readonly Invocation[] }
  | {
      readonly kind: "respond";
      readonly response: ExecutiveResponse;
      readonly assumptions: readonly string[];
    };

/** Colleagues that one question may be handed to whole; numbers are asked of as many as own them. */
const MOST_HANDED = 2;
/** Days after which figures are said to be old. */
const STALE_DAYS = 90;
const RANK: Readonly<Record<Confidence, number>> = { high: 2, medium: 1, low: 0 };

/** The next step of a role that was asked; the same for the same input. No colleague is asked twice. */
export function answer(input: AnswerInput): Answer {
  const { role, company, colleagues, phase } = input;
  const q = particularsOf(input.question, company, input.today);
  const through = input.chain ?? [];
  const chain = through.at(-1) === role ? through : [...through, role];
  const situation: Situation = { role, company, colleagues, phase, chain, rough: q.rough };
  const figures = new Figures(situation);
  const { own, foreign } = divided(q, situation);
  const draft = own?.({ figures, q });
  const calls = new Map<CsuiteRole, string>();
  for (const topic of foreign) {
    const owner = topic.owners[0];
    const met = figures.heard(owner) !== undefined || figures.refused(owner);
    if (!met && mayAsk(situation, owner)) calls.set(owner, questionTo(topic.name, q));
  }
  for (const [owner, labels] of figures.toAsk) {
    if (!calls.has(owner)) calls.set(owner, askForNumbers([...labels], subjectOf(q)));
  }
  if (calls.size > 0) {
    return { kind: "invoke", calls: [...calls].map(([to, question]) => ({ role: to, question })) };
  }
  const whole =
    foreign.length === 0 ? (draft ?? overview({ figures, q })) : joined(draft, foreign, figures, q);
  return finished(whole, figures, input.today);
}

/** What the role calculates itself, and which topics it leaves to their owners. */
function divided(q: Particulars, { role, company }: Situation) {
  const paths = numbersNamed(q.text, company);
  if (paths.length > 0) return { own: numbersAsked(paths), foreign: [] };
  const topics = topicsOf(q.text);
  const owned = topics.find((topic) => topic.owners.includes(role));
  const foreign = topics.filter((topic) => !topic.owners.includes(role)).slice(0, MOST_HANDED);
  return { own: owned === undefined ? undefined : CALCULATIONS[owned.name], foreign };
}

/** The role's own part and what the owners of the other topics said; where one could not be asked, what is assumed instead. */
function joined(own: Draft | undefined, foreign: readonly Topic[], figures: Figures, q: Particulars): Draft {
  const parts = foreign.map((topic) => handed(topic, figures, q));
  const cover = pipelineCover(figures);
  const told = parts.map((part) => part.finding);
  const [first] = parts;
  const lead = cover ?? own?.finding.replace(/\.$/, "");
  return {
    finding:
      [...(lead === undefined ? [] : [lead]), ...told.map((text) => text.replace(/\.$/, ""))].join("; ") +
      ".",
    data:
      own === undefined
        ? (first?.data ?? [])
        : [own.data[0] ?? "", ...parts.map((part) => part.data[0] ?? ""), ...(first?.data.slice(1) ?? [])],
    confidence: lowest([
      ...(own === undefined ? [] : [own.confidence]),
      ...parts.map((part) => part.confidence),
    ]),
    caveat: [
      ...new Set([...parts.map((part) => part.caveat), ...(own === undefined ? [] : [own.caveat])]),
    ].join(" "),
    computed: (own?.computed ?? true) && parts.every((part) => part.computed),
  };
}

/** A topic that another role owns, as this role passes it on. */
function handed(topic: Topic, figures: Figures, q: Particulars): Draft {
  const owner = topic.owners[0];
  const name = owner.toUpperCase();
  const said = figures.heard(owner);
  if (said !== undefined) {
    const read = readAnswer(said);
    return {
      finding: `${name}: ${read.finding}`,
      data: read.data.map((point) => `${point} (${name})`),
      confidence: read.confidence,
      caveat: read.caveat === "" ? `As the ${name} says.` : read.caveat,
      computed: true,
    };
  }
  const why = figures.refused(owner) ? `${name} could not be asked` : `${name} may not be asked here`;
  // The same calculation on what may be assumed: nobody else is asked in the owner's place.
  const alone = new Figures({ ...figures.situation, phase: 2 });
  const draft = CALCULATIONS[topic.name]({ figures: alone, q });
  for (const [key, text] of alone.assumptions) figures.state(key, text);
  const subject = subjectOf(q);
  if (!draft.computed) {
    for (const key of alone.missing) figures.missing.add(key);
    const about = `${topic.name.replaceAll("-", " ")}${subject === "" ? "" : ` of ${subject}`}`;
    figures.state(
      `topic.${topic.name}`,
      `Effect on ${about}: none counted (${why}, and nothing to reckon it from)`,
    );
  } else
    figures.state(
      `topic.${topic.name}`,
      `${draft.finding.replace(/\.$/, "")} (${why}; reckoned from assumptions)`,
    );
  return { ...draft, finding: `assumed for the ${name}: ${draft.finding}`, confidence: "low" };
}

/** How much of the ARR a CFO found to be needed the CRO's pipeline covers. */
function pipelineCover(figures: Figures): string | undefined {
  const said = figures.situation.role === "cro" ? figures.heard("cfo") : undefined;
  const needed = said === undefined ? undefined : quotedFigure(said, ARR_NEEDED);
  if (needed === undefined) return undefined;
  const { figure } = weightedPipeline(figures);
  if (figure === undefined) return undefined;
  return `Weighted 90-day pipeline of ${cash(figures, figure.value)} covers ${share(coveragePct(figure.value, needed))} of the ${cash(figures, needed)} ARR needed`;
}

interface ReadAnswer {
  readonly finding: string;
  readonly data: readonly string[];
  readonly confidence: Confidence;
  readonly caveat: string;
}

/** The parts of a colleague's answer; free text counts as a finding of medium confidence. */
function readAnswer(text: string): ReadAnswer {
  const lines = text
    .split("\n")
    .map((line) =>
      line
        .replace(/^[\s\-*•>]+/, "")
        .replaceAll("**", "")
        .trim(),
    )
    .filter((line) => line !== "" && !/^\[\/?RESPONSE/i.test(line));
  const field = (name: string) => {
    const line = lines.find((candidate) => candidate.toLowerCase().startsWith(`${name}:`));
    return line === undefined ? undefined : line.slice(name.length + 1).trim();
  };
  const fields = /^(?:key finding|supporting data|confidence|caveat):/i;
  const level = field("confidence")?.toLowerCase();
  return {
    finding: oneLine(field("key finding") ?? lines[0] ?? "no answer", 300),
    data: lines
      .filter((line) => !fields.test(line))
      .slice(field("key finding") === undefined ? 1 : 0)
      .map((line) => oneLine(line, 300)),
    confidence: level === "high" || level === "low" ? level : "medium",
    caveat: oneLine(field("caveat") ?? "", 300),
  };
}

function lowest(levels: readonly Confidence[]): Confidence {
  return levels.reduce<Confidence>((low, level) => (RANK[level] < RANK[low] ? level : low), "high");
}

/** Adds what was assumed and what is missing to the caveat, and lets confidence follow. */
function finished(draft: Draft, figures: Figures, today: string): Answer {
  const assumptions = [...figures.assumptions.values()];
  const { as_of: asOf } = figures.situation.company;
  const age = asOf === undefined ? 0 : daysBetween(asOf, today);
  const old = age > STALE_DAYS ? ` Figures are ${age} days old.` : "";
  const heard = figures.situation.colleagues
    .filter((entry) => entry.blocked !== true)
    .map((entry) => readAnswer(entry.text).confidence);
  // Reading a question is less of a guess than a number: only numbers pull an answer below medium.
  const guessed = [...figures.assumptions.keys()].some((key) => !key.startsWith("question."));
  const confidence = lowest([
    draft.confidence,
    ...heard,
    ...(assumptions.length > 0 || old !== "" ? (["medium"] as const) : []),
    ...(figures.missing.size > 0 ||
    !draft.computed ||
    (guessed && figures.situation.colleagues.some((entry) => entry.blocked === true))
      ? (["low"] as const)
      : []),
  ]);
  const named = assumptions.length === 0 ? "" : ` Assumed: ${assumptions.join("; ")}.`;
  const absent = [...figures.missing].filter((key) => !draft.finding.includes(key));
  const missing = absent.length === 0 ? "" : ` Missing in company.yaml: ${listed(absent)}.`;
  const caveat = `${draft.caveat}${named}${missing}${old}`;
  const fit = fitted({ ...draft, caveat }, [...headlines(figures), ...lastResort(figures)]);
  return {
    kind: "respond",
    response: { keyFinding: fit.finding, supportingData: fit.data, confidence, caveat: fit.caveat },
    assumptions,
  };
}
