// Pure: sums of what agents used.
import type { Usage } from "@firm/protocol";

export function sumUsage(usages: readonly (Usage | undefined)[]): Usage {
  const sum = { input_tokens: 0, cached_tokens: 0, output_tokens: 0, usd: 0 };
  for (const usage of usages) {
    sum.input_tokens += usage?.input_tokens ?? 0;
    sum.cached_tokens += usage?.cached_tokens ?? 0;
    sum.output_tokens += usage?.output_tokens ?? 0;
    sum.usd += usage?.usd ?? 0;
  }
  return sum;
}
