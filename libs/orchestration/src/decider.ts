// Pure: the shape of every decision that must survive the death of its process: fold the log, then say what to do.

/** Killing a process anywhere and folding the same log again gives the same decisions. */
export interface Decider<State, Event, Command> {
  /** What is known after one more event. The same event twice changes nothing more. */
  evolve(state: State, event: Event): State;
  /** What to do now; nothing that the log shows as done. @param now epoch ms */
  decide(state: State, now: number): readonly Command[];
}
