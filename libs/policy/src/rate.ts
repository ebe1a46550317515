// Pure: a token bucket, one per sender, so that a role in a loop cannot drown the gateway.

/** Requests a sender may make at once, as of a time. */
export interface Bucket {
  readonly tokens: number;
  /** Epoch ms. */
  readonly at: number;
}

/** A sender not seen before: a burst of the rate's size passes. */
export function fullBucket(now: number, rate: number): Bucket {
  return { tokens: rate, at: now };
}

/**
 * Takes one request out of the bucket.
 * @param now epoch ms; a clock that steps back refills nothing
 * @param rate requests per second, and the size of a burst
 */
export function take(
  bucket: Bucket,
  now: number,
  rate: number,
): { readonly bucket: Bucket; readonly allowed: boolean } {
  const elapsed = Math.max(0, now - bucket.at);
  const tokens = Math.min(rate, bucket.tokens + (elapsed / 1000) * rate);
  const at = Math.max(now, bucket.at);
  return tokens >= 1
    ? { bucket: { tokens: tokens - 1, at }, allowed: true }
    : { bucket: { tokens, at }, allowed: false };
}
