// Pure: where a role gets a number: its own from the file, another's from the answer of the colleague who owns it, else a stated assumption (seed: agent-protocol, "When to Invoke vs When to Assume").
import { oneLine, quotedFigure, written } from "./format.ts";
import { numberInfo, type CsuiteRole, type Unit } from "./owners.ts";
import type { Company } from "./schema.ts";

/** What a colleague said, or that it could not be asked (`blocked`: refused, timed out or failed). */
export interface Colleague {
  readonly role: string;
  readonly question: string;
  readonly text: string;
  readonly blocked?: boolean;
}

/** A number with its name and where it is from. */
export interface Figure {
  readonly key: string;
  readonly label: string;
  readonly unit: Unit;
  readonly value: number;
  readonly from: "file" | "colleague" | "assumption";
}

/** A path in the file, e.g. `["operations", "ramp_months", "engineering"]`. */
export type NumberPath = readonly string[];

export interface Situation {
  readonly role: CsuiteRole;
  readonly company: Company;
  readonly colleagues: readonly Colleague[];
  /** Board meeting phase, 0 outside one; nobody is asked in 2 and 3. */
  readonly phase: number;
  /** Roles the question came through, this role last. */
  readonly chain: readonly string[];
  /** A rough answer will do: what can be assumed is not asked. */
  readonly rough: boolean;
}

/** Hops an invocation may go (seed: agent-protocol, Rule 2). */
const MAX_DEPTH = 2;

/** True where the rules let this role ask that one, as far as it can tell; the gateway decides. */
export function mayAsk(situation: Situation, role: CsuiteRole): boolean {
  return (
    role !== situation.role &&
    situation.phase !== 2 &&
    situation.phase !== 3 &&
    !situation.chain.includes(role) &&
    situation.chain.length - 1 < MAX_DEPTH
  );
}

/** One role's look-ups for one answer; it remembers whom it would have to ask, what it assumed and what is missing. */
export class Figures {
  readonly situation: Situation;
  /** Owners to be asked and the labels of what they are asked for, in the order in which they were needed. */
  readonly toAsk = new Map<CsuiteRole, Set<string>>();
  readonly assumptions = new Map<string, string>();
  /** Keys of company.yaml that have no value. */
  readonly missing = new Set<string>();

  constructor(situation: Situation) {
    this.situation = situation;
  }

  /** The number, if it can be had or assumed now; else undefined: the owner is in `toAsk`, or the key in `missing`. */
  get(path: NumberPath): Figure | undefined {
    const { role, company, rough } = this.situation;
    const { owners } = numberInfo(path);
    const inFile = valueAt(company, path);
    if (owners.includes(role)) {
      if (inFile !== undefined) return this.#figure(path, inFile, "file");
      this.missing.add(path.join("."));
      return this.#assume(path, "not in company.yaml");
    }
    const owner = owners[0];
    const said = this.heard(owner);
    if (said !== undefined) {
      const value = settle(inFile, quotedFigure(said, numberInfo(path).label));
      if (value !== undefined) return this.#figure(path, value, "colleague");
      this.missing.add(path.join("."));
      return this.#assume(path, `${owner.toUpperCase()} has no number`);
    }
    if (this.refused(owner)) return this.#assume(path, `${owner.toUpperCase()} could not be asked`);
    if (!mayAsk(this.situation, owner))
      return this.#assume(path, `${owner.toUpperCase()} may not be asked here`);
    if (rough && this.#assumable(path) !== undefined) return this.#assume(path, "a rough answer will do");
    const labels = this.toAsk.get(owner) ?? new Set<string>();
    this.toAsk.set(owner, labels.add(numberInfo(path).label));
    return undefined;
  }

  /** The number of the file or of a colleague, without asking or assuming anything. */
  known(path: NumberPath): Figure | undefined {
    const { role, company } = this.situation;
    const { owners, label } = numberInfo(path);
    const inFile = valueAt(company, path);
    if (owners.includes(role)) return inFile === undefined ? undefined : this.#figure(path, inFile, "file");
    const said = this.heard(owners[0]);
    const value = said === undefined ? undefined : settle(inFile, quotedFigure(said, label));
    return value === undefined ? undefined : this.#figure(path, value, "colleague");
  }

  /** A colleague's answers, joined; undefined where it gave none. */
  heard(role: CsuiteRole): string | undefined {
    const texts = this.situation.colleagues.filter((entry) => entry.role === role && entry.blocked !== true);
    return texts.length === 0 ? undefined : texts.map((entry) => entry.text).join("\n");
  }

  /** True where a colleague was asked and did not answer. */
  refused(role: CsuiteRole): boolean {
    return this.situation.colleagues.some((entry) => entry.role === role && entry.blocked === true);
  }

  /** States an assumption that is no number of the file. */
  state(key: string, text: string): void {
    this.assumptions.set(key, oneLine(text));
  }

  /** `Cash: $3.92M`. */
  point(figure: Figure): string {
    return `${figure.label}: ${this.show(figure)}`;
  }

  show(figure: Figure): string {
    const text = written(figure.value, figure.unit, this.situation.company.currency);
    return figure.from === "assumption" ? `${text} (assumed)` : text;
  }

  #figure(path: NumberPath, value: number, from: Figure["from"]): Figure {
    const { label, unit } = numberInfo(path);
    return { key: path.join("."), label: oneLine(label), unit, value, from };
  }

  #assumable(path: NumberPath): { readonly value: number; readonly why: string } | undefined {
    const { company } = this.situation;
    // A number by seniority may be assumed by its function's.
    for (let length = path.length; length >= Math.min(path.length, 3); length -= 1) {
      const value = company.assumptions?.[path.slice(0, length).join(".")];
      if (value !== undefined) return { value, why: "assumptions in company.yaml" };
    }
    const { fallback } = numberInfo(path);
    return fallback === undefined
      ? undefined
      : { value: fallback.value, why: `neutral default: ${fallback.why}` };
  }

  #assume(path: NumberPath, reason: string): Figure | undefined {
    const assumable = this.#assumable(path);
    const { label, unit, owners } = numberInfo(path);
    const key = path.join(".");
    if (assumable === undefined) {
      if (!owners.includes(this.situation.role)) this.missing.add(key);
      return undefined;
    }
    const text = written(assumable.value, unit, this.situation.company.currency);
    this.state(key, `${label}: ${text} (${key}; ${assumable.why}; ${reason})`);
    return this.#figure(path, assumable.value, "assumption");
  }
}

/**
 * The owner's word counts; where it is the file's number rounded for reading, the exact one is meant.
 * Half a percent is the most that three digits can be off.
 */
function settle(inFile: number | undefined, quoted: number | undefined): number | undefined {
  if (quoted === undefined || inFile === undefined) return quoted ?? inFile;
  return Math.abs(quoted - inFile) <= Math.abs(inFile) * 0.005 + 0.05 ? inFile : quoted;
}

/** The number at a path; entries of a list are found by their name. */
export function valueAt(company: Company, path: NumberPath): number | undefined {
  let at: unknown = company;
  for (const part of path) {
    if (Array.isArray(at)) {
      const entries: readonly unknown[] = at;
      at = entries.find((entry) => isRecord(entry) && entry["name"] === part);
    } else if (isRecord(at)) at = Object.hasOwn(at, part) ? at[part] : undefined;
    else if (typeof at === "number") return at;
    else return undefined;
  }
  return typeof at === "number" ? at : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
