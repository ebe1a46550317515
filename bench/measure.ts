// Owns the two ways a hop is measured: one after the other for latency, many at once for throughput.
import { latencyOf, type Latency } from "./stats.ts";

export interface HopFigures {
  readonly latency: Latency;
  /** Hops per second. */
  readonly perSecond: number;
}

export interface HopPlan {
  readonly warmUp: number;
  readonly sequential: number;
  readonly concurrent: number;
  readonly inFlight: number;
}

/** Measures `hop`. */
export async function measureHop(hop: (i: number) => Promise<void>, plan: HopPlan): Promise<HopFigures> {
  await many(hop, plan.warmUp, plan.inFlight);
  const samples: number[] = [];
  for (let i = 0; i < plan.sequential; i++) {
    const start = performance.now();
    await hop(i);
    samples.push(performance.now() - start);
  }
  const start = performance.now();
  await many(hop, plan.concurrent, plan.inFlight);
  return { latency: latencyOf(samples), perSecond: plan.concurrent / ((performance.now() - start) / 1000) };
}

/** Does it `count` times, `inFlight` at a time. */
export async function many(
  hop: (i: number) => Promise<void>,
  count: number,
  inFlight: number,
): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (next < count) await hop(next++);
    }),
  );
}

/** Starts `count` at once; how many fail. */
export async function loses(hop: () => Promise<void>, count: number): Promise<number> {
  const ends = await Promise.allSettled(Array.from({ length: count }, hop));
  return ends.filter(({ status }) => status === "rejected").length;
}
