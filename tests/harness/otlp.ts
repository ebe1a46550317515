// Owns a minimal OTLP receiver: spans in JSON over HTTP, as a collector takes them.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import * as z from "zod";

const Value = z.object({
  stringValue: z.string().optional(),
  intValue: z.union([z.string(), z.number()]).optional(),
  boolValue: z.boolean().optional(),
});
const Attributes = z.array(z.object({ key: z.string(), value: Value.loose() }));
const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes: Attributes.default([]),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
  status: z.object({ code: z.number().optional(), message: z.string().optional() }).default({}),
});
const Body = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

/** A span with its service. */
export type ReceivedSpan = z.infer<typeof Span> & { readonly service: string };

export interface OtlpReceiver {
  readonly url: string;
  /** All spans of a trace, once `until` holds for them. */
  trace(id: string, until: (spans: readonly ReceivedSpan[]) => boolean): Promise<readonly ReceivedSpan[]>;
  stop(): Promise<void>;
}

export async function startOtlp(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const waiting = new Set<() => void>();
  const server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      for (const { resource, scopeSpans } of Body.parse(JSON.parse(body)).resourceSpans) {
        const service =
          resource.attributes.find(({ key }) => key === "service.name")?.value.stringValue ?? "";
        spans.push(...scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, service }))));
      }
      response.setHeader("content-type", "application/json").end("{}");
      for (const look of waiting) look();
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    trace: (id, until) =>
      new Promise((found) => {
        const look = (): void => {
          const own = spans.filter(({ traceId }) => traceId === id);
          if (!until(own)) return;
          waiting.delete(look);
          found(own);
        };
        waiting.add(look);
        look();
      }),
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** An attribute's value; undefined where it is not there. */
export function attribute(span: ReceivedSpan, key: string): string | undefined {
  const value = span.attributes.find((one) => one.key === key)?.value;
  return value?.stringValue ?? value?.intValue?.toString();
}
