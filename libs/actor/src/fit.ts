// Pure: makes an outcome fit into one message; what is left out is named, never dropped silently.
import { SEVERITIES, type Deliverable, type Finding, type Result } from "@firm/protocol";

/** What a piece of work brings back: a result, or the CEO's deliverable. */
export type WorkOutcome = Result | { readonly deliverable: Deliverable };

/** Bytes of JSON. */
function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/**
 * An outcome of at most `limit` bytes of JSON: the findings that weigh least go first, then the end of the
 * long text; an open item says how much.
 */
export function fitOutcome(outcome: WorkOutcome, limit: number): WorkOutcome {
  if (sizeOf(outcome) <= limit) return outcome;
  if ("deliverable" in outcome) {
    const { deliverable } = outcome;
    const fitted = fit(deliverable, deliverable.body, limit - 32);
    return { deliverable: { ...deliverable, ...fitted.part, body: fitted.text, status: "open_items" } };
  }
  const fitted = fit(outcome, outcome.output, limit);
  return { ...outcome, ...fitted.part, output: fitted.text };
}

interface Sized {
  readonly findings: readonly Finding[];
  readonly open_items: readonly string[];
}

function fit(
  whole: Sized,
  text: string,
  limit: number,
): { part: { findings: Finding[]; open_items: string[] }; text: string } {
  // An allowance for the open items that say what was left out.
  const fixed = sizeOf({ ...whole, findings: [], output: "", body: "" }) + 512;
  const room = Math.max(0, limit - fixed);
  const notes: string[] = [];

  const kept: Finding[] = [];
  let used = 0;
  for (const finding of whole.findings.toSorted(
    (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
  )) {
    const size = sizeOf(finding) + 1;
    if (used + size > room / 2) break;
    used += size;
    kept.push(finding);
  }
  const left = whole.findings.length - kept.length;
  if (left > 0)
    notes.push(
      `${left} of ${whole.findings.length} findings did not fit into one message of ${limit} bytes; the gravest were kept`,
    );

  const shorter = headOf(text, room - used);
  if (shorter.length < text.length)
    notes.push(
      `the text was cut after ${shorter.length} of ${text.length} characters to fit into one message`,
    );
  const keptInOrder = whole.findings.filter((finding) => kept.includes(finding));
  return { part: { findings: keptInOrder, open_items: [...whole.open_items, ...notes] }, text: shorter };
}

/** The longest beginning of a text whose JSON takes at most `bytes`. */
function headOf(text: string, bytes: number): string {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sizeOf(text.slice(0, middle)) <= bytes) low = middle;
    else high = middle - 1;
  }
  // Never half of a surrogate pair.
  const last = text.charCodeAt(low - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? low - 1 : low);
}
