// Owns the contract that every agent passes. B1: it says whether it could work here, without throwing. B2: exactly one `result`
// or `blocked`, as the last event, for the objective key it was given, naming itself. B3: an abort ends it soon, without a
// result. B4: partial outputs are valid results. B5: two handoffs at once do not mix.
import { Result } from "@firm/protocol";
import { describe, expect, test } from "vitest";
import type { Agent, AgentEvent, AgentInput } from "../types.ts";
import { agentInput, eventsOf } from "./input.ts";

export interface ContractCase {
  readonly name: string;
  /** A fresh agent. */
  readonly agent: () => Promise<Agent>;
  /** Changes to the input, e.g. a workspace that exists. */
  readonly input?: () => Promise<Partial<AgentInput>>;
}

/** Declares the suite for one agent. */
export function backendContract({ name, agent, input }: ContractCase): void {
  const inputOf = async (over: Partial<AgentInput> = {}): Promise<AgentInput> =>
    agentInput({ ...(await input?.()), ...over });

  describe(`contract of an agent: ${name}`, () => {
    test("B1: readiness", async () => {
      const readiness = await (await agent()).readiness();
      expect(typeof readiness.ready).toBe("boolean");
      expect(readiness.detail).not.toBe("");
    });

    test.each(["employee:implementer", "employee:analyst", "service:backend", "department:quality", "ceo"])(
      "B2 and B4: one valid end, last, as %s",
      async (role) => {
        const backend = await agent();
        const given = await inputOf({ role });
        const events = await eventsOf(backend, given);
        const ends = events.filter((event) => event.type === "result" || event.type === "blocked");
        expect(ends).toHaveLength(1);
        expect(events.at(-1)).toBe(ends[0]);
        for (const event of events) {
          const said =
            event.type === "result" ? event.result : "partial" in event ? event.partial : undefined;
          if (said === undefined) continue;
          const parsed = Result.parse(said);
          expect(parsed.objective_key).toBe(given.objectiveKey);
          expect(parsed.agent?.name).toBe(backend.name);
        }
      },
    );

    test("B3: aborted before it begins, it gives no result", async () => {
      const events = await eventsOf(await agent(), await inputOf({ signal: AbortSignal.abort() }));
      expect(events.filter((event) => event.type === "result")).toEqual([]);
    });

    test("B3: aborted at its first event, it ends without a result", async () => {
      const controller = new AbortController();
      const events: AgentEvent[] = [];
      for await (const event of (await agent()).run(await inputOf({ signal: controller.signal }))) {
        events.push(event);
        controller.abort();
      }
      // An agent whose first event is its result had no time to be aborted.
      if (events.length > 1) expect(events.filter((event) => event.type === "result")).toEqual([]);
    });

    test("B5: two at once do not mix", async () => {
      const backend = await agent();
      const [a, b] = await Promise.all(
        ["key-a", "key-b"].map(async (objectiveKey) =>
          eventsOf(backend, await inputOf({ objectiveKey, handoff: objectiveKey })),
        ),
      );
      const keys = [a, b].map((events) =>
        events?.flatMap((event) => (event.type === "result" ? [event.result.objective_key] : [])),
      );
      expect(keys).toEqual([["key-a"], ["key-b"]]);
    });
  });
}
