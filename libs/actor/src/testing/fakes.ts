// Owns small real implementations of the runtime's narrow interfaces, driven by hand from tests.
import type { BusMessage, Delivery, Headers, RequestOptions } from "@firm/bus";
import { FirmError, HEADERS, type WorkOrder } from "@firm/protocol";
import { pino } from "pino";
import type { Requester } from "../gateway-client.ts";
import type { Log } from "../log.ts";

/** A log that keeps its lines. */
export function memoryLog(): { log: Log; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const log = pino(
    { level: "trace" },
    { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  return { log, lines };
}

/** A work order from the CEO to engineering. */
export function workOrder(over: Partial<WorkOrder> = {}): WorkOrder {
  return {
    run: "01JZZZZZZZZZZZZZZZZZZZZZZZ",
    handoff: "h1",
    parent: "root",
    contract: {
      from: "ceo",
      to: "department:engineering",
      objective: "Build a payment API",
      constraints: [],
      definition_of_done: "Summary",
      context_ref: "memory:delivery/latest",
      reply_session: "main",
    },
    objective_key: "build-a-payment-api",
    cycle: 0,
    session: "01JZZZZZZZZZZZZZZZZZZZZZZZ:department:engineering",
    objective: {
      objective: "Build a payment API",
      constraints: [],
      delivery_format: "markdown_report",
      reply_session: "main",
      allow_run: false,
      deadline_seconds: 30,
      budget: {},
    },
    context: { ref: "memory:delivery/latest", text: "" },
    history: [],
    token: "token-1",
    deadline: Date.now() + 30_000,
    ...over,
  };
}

/** A delivery that notes how it ended. */
export interface FakeDelivery extends Delivery {
  readonly said: string[];
}

export function delivery(order: WorkOrder | string, deliveryCount = 1): FakeDelivery {
  const text = typeof order === "string" ? order : JSON.stringify(order);
  const said: string[] = [];
  return {
    said,
    subject: "inbox",
    headers: { [HEADERS.chain]: "ceo → department:engineering" },
    text: () => text,
    bytes: () => new TextEncoder().encode(text),
    size: text.length,
    seq: 1,
    storedAt: 0,
    deliveryCount,
    ack: () => {
      said.push("ack");
      return Promise.resolve();
    },
    nak: (delayMs) => void said.push(delayMs === 0 ? "nak" : "nak later"),
    term: () => void said.push("term"),
    working: () => void said.push("working"),
  };
}

/** A request as the gateway got it. */
export interface Asked {
  readonly verb: string;
  readonly body: unknown;
  readonly token: string | undefined;
  readonly timeoutMs: number | undefined;
}

/** A gateway made of answers by verb; an error is thrown, a promise waited for. */
export function fakeGateway(
  answers: Record<string, (asked: Asked, nth: number) => unknown>,
): Requester & { asked: Asked[] } {
  const asked: Asked[] = [];
  return {
    asked,
    request: async (
      subject: string,
      body: string | Uint8Array,
      options: RequestOptions = {},
    ): Promise<BusMessage> => {
      const verb = subject
        .split(".")
        .slice(subject.startsWith("firm.from.ceo") ? 3 : 4)
        .join(".");
      const one: Asked = {
        verb,
        body: JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)),
        token: options.headers?.[HEADERS.token],
        timeoutMs: options.timeoutMs,
      };
      const nth = asked.filter((earlier) => earlier.verb === verb).length;
      asked.push(one);
      const answer = answers[verb];
      if (answer === undefined) throw new FirmError("bus-unavailable", `nobody answers ${verb}`);
      const reply = await untilAborted(Promise.resolve(answer(one, nth)), options.signal);
      return message(typeof reply === "string" ? reply : JSON.stringify(reply));
    },
  };
}

function untilAborted<T>(value: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return value;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    value.then(resolve, reject);
  });
}

function message(text: string, headers: Headers = {}): BusMessage {
  return {
    subject: "reply",
    headers,
    text: () => text,
    bytes: () => new TextEncoder().encode(text),
    size: text.length,
  };
}
