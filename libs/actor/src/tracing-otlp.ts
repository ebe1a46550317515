// Owns the export of spans by OTLP over HTTP; endpoint, headers and timeouts are the exporter's own OTEL_EXPORTER_OTLP_* variables.
import { hostname } from "node:os";
import { diag, DiagLogLevel, SpanKind, SpanStatusCode, TraceFlags, type HrTime } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, type ReadableSpan } from "@opentelemetry/sdk-trace";
import { traceIdOf } from "@firm/protocol";
import packageJson from "../package.json" with { type: "json" };
import type { Log } from "./log.ts";
import type { EndedSpan, Tracing } from "./tracing.ts";

const KINDS = {
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;
/** ms a drain waits for the collector. */
const CLOSE_MS = 2_000;

/** Tracing to the endpoint that the variables name. */
export function otlpTracing(
  service: string,
  variables: Readonly<Record<string, string | undefined>>,
  log: Log,
): Tracing {
  const complain = (message: string): void =>
    log.warn({ otel: message.slice(0, 500) }, "a span could not be exported");
  diag.setLogger(
    {
      error: complain,
      warn: complain,
      info: () => undefined,
      debug: () => undefined,
      verbose: () => undefined,
    },
    DiagLogLevel.WARN,
  );
  const resource = resourceFromAttributes({
    "service.namespace": "firm",
    "service.name": variables.OTEL_SERVICE_NAME ?? `firm-${service.replace(":", "-")}`,
    "service.version": packageJson.version,
    "service.instance.id": `${hostname()}/${process.pid}`,
  });
  const processor = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter(),
    scheduledDelayMillis: 1_000,
  });
  return {
    enabled: true,
    record: (span) => processor.onEnd(readable(span, resource)),
    close: async () => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((done) => {
        timer = setTimeout(done, CLOSE_MS);
      });
      const sent = processor.shutdown().catch((error: unknown) => complain(String(error)));
      await Promise.race([sent, late]);
      clearTimeout(timer);
    },
  };
}

function readable(span: EndedSpan, resource: ReadableSpan["resource"]): ReadableSpan {
  const context = (traceId: string, spanId: string) => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED });
  const traceId = traceIdOf(span.run);
  const end = Math.max(span.start, span.end);
  return {
    name: span.name,
    kind: KINDS[span.kind ?? "internal"],
    spanContext: () => context(traceId, span.id),
    ...(span.parent === undefined ? {} : { parentSpanContext: context(traceId, span.parent) }),
    startTime: hrTime(span.start),
    endTime: hrTime(end),
    duration: hrTime(end - span.start),
    status:
      span.error === undefined
        ? { code: SpanStatusCode.UNSET }
        : { code: SpanStatusCode.ERROR, message: span.error.slice(0, 1_000) },
    attributes: Object.fromEntries(
      Object.entries({ "firm.run_id": span.run, ...span.attributes }).map(([name, value]) => [
        name,
        typeof value === "object" ? [...value] : value,
      ]),
    ),
    links: (span.links ?? []).map((link) => ({ context: context(link.traceId, link.spanId) })),
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: "firm", version: packageJson.version },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Seconds and the nanoseconds of the rest. @param ms with fractions */
function hrTime(ms: number): HrTime {
  const seconds = Math.trunc(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
