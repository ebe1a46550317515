// Pure: what the exit code of `firm` says; documented in README.md and in `firm run --help`.
import type { RunFinished } from "@firm/protocol";

export const EXIT = {
  /** Delivered in full. */
  delivered: 0,
  failed: 1,
  /** Wrong usage: an unknown option, a field that is not valid. */
  usage: 2,
  /** Delivered, and something is named as an open item. */
  openItems: 3,
  cancelled: 4,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit code for a run's end. A run out of time that still delivered what it had is delivered with open items. */
export function exitCodeOf(finished: RunFinished): ExitCode {
  const { deliverable } = finished;
  switch (finished.status) {
    case "cancelled":
      return EXIT.cancelled;
    case "failed":
      return EXIT.failed;
    case "timeout":
      return deliverable === undefined ? EXIT.failed : EXIT.openItems;
    case "delivered":
      if (deliverable === undefined) return EXIT.failed;
      return deliverable.status === "complete" ? EXIT.delivered : EXIT.openItems;
  }
}

/** The exit code for an error's code. */
export function exitCodeOfError(code: string): ExitCode {
  return code === "invalid-input" || code === "invalid-config" || code === "too-large"
    ? EXIT.usage
    : EXIT.failed;
}
