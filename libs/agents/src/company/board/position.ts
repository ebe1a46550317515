// Pure: what a role's independent view is made of, before it becomes a contribution (board meeting, phase 2).
import type { Confidence, TopicInput } from "../draft.ts";
import type { Figure } from "../figures.ts";

/** For, for under a condition, against, or no view for want of numbers. */
export type Stance = "for" | "conditional" | "against" | "undecided";

/** A role's view, from its own numbers and stated assumptions. */
export interface Position {
  readonly stance: Stance;
  /** What the stance rests on; the most telling first. Empty points are left out. */
  readonly points: readonly string[];
  /** Why, as half a sentence: `runway stays at 11.8 months, above the floor of 9.0 months`. */
  readonly reason: string;
  /** Of a conditional stance. */
  readonly condition?: string;
  /** The most it can be sure of, where its reason is weaker than its numbers. */
  readonly atMost?: Confidence;
  readonly wouldChange: string;
  /** The strongest argument against, even where the role is for it. */
  readonly against: string;
}

export type PositionOf = (input: TopicInput) => Position;

/** Data points of the figures that were had. */
export function points({ figures }: TopicInput, ...had: readonly (Figure | undefined)[]): readonly string[] {
  return had.flatMap((figure) => (figure === undefined ? [] : [figures.point(figure)]));
}

/** The position of a role that lacks the number its view depends on. */
export function undecided(what: string, known: readonly string[]): Position {
  return {
    stance: "undecided",
    points: known,
    reason: `${what} is not known`,
    wouldChange: `${what}, written down in company.yaml`,
    against: `${what} is not known: the decision would be made blind`,
  };
}

const ORDER: readonly Stance[] = ["for", "conditional", "against"];

/** `for` up to the first bound, `conditional` up to the second, `against` beyond. */
export function banded(value: number, comfortable: number, bearable: number): Stance {
  return ORDER[value <= comfortable ? 0 : value <= bearable ? 1 : 2] ?? "against";
}
