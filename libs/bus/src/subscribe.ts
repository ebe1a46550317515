// Owns subscriptions: callbacks, no iterators (a hop costs less), and a callback that throws does not take the connection with it.
import { FirmError } from "@firm/protocol";
import type { Link } from "./link.ts";
import { ReceivedRequest } from "./message.ts";
import type { BusRequest, Subscription } from "./types.ts";

/** True where a subscription's subject covers a message's. */
export function covers(filter: string, subject: string): boolean {
  const wanted = filter.split(".");
  const tokens = subject.split(".");
  for (const [i, token] of wanted.entries()) {
    if (token === ">") return tokens.length > i;
    if (tokens[i] === undefined || (token !== "*" && token !== tokens[i])) return false;
  }
  return tokens.length === wanted.length;
}

/**
 * Subscribes. A message whose own subject is another than it came by is dropped: a server delivers a stream's message to
 * any reply subject its puller names, which would otherwise let a role speak on a subject it may not publish to.
 */
export function subscribe(
  link: Link,
  subject: string,
  handler: (message: BusRequest) => void,
  queue?: string,
): Subscription {
  const literal = !subject.includes("*") && !subject.includes(">");
  const subscription = link.nc.subscribe(subject, {
    ...(queue === undefined ? {} : { queue }),
    callback: (error, msg) => {
      // The refusal of a subscription is told as a status.
      if (error !== null) return;
      if (literal ? msg.subject !== subject : !covers(subject, msg.subject)) return;
      const request = new ReceivedRequest(msg);
      try {
        handler(request);
      } catch (thrown) {
        request.fail(thrown);
        if (!(thrown instanceof FirmError))
          link.emit({ type: "handler-failed", subject: msg.subject, error: thrown });
      }
    },
  });
  return {
    drain: async () => {
      if (!subscription.isClosed() && !link.nc.isClosed()) await subscription.drain();
    },
    unsubscribe: () => {
      if (!subscription.isClosed() && !link.nc.isClosed()) subscription.unsubscribe();
    },
  };
}
