// Owns the spans of a process: told once they have ended, exported where an OTLP endpoint is set, dropped elsewhere.
//
// T1  OpenTelemetry is loaded only where it is used. T2  Tracing never fails or delays work.
import { spanIdOf, type SpanRef } from "@firm/protocol";
import type { Log } from "./log.ts";

export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** A span that has ended. Times in epoch ms. */
export interface EndedSpan {
  readonly run: string;
  readonly id: string;
  /** Span of the same run; undefined for the root. */
  readonly parent?: string;
  readonly name: string;
  readonly kind?: "internal" | "client" | "server" | "producer" | "consumer";
  readonly start: number;
  readonly end: number;
  readonly attributes?: Attributes;
  /** Why it failed. */
  readonly error?: string;
  /** Spans it goes on from, e.g. an earlier attempt. */
  readonly links?: readonly SpanRef[];
}

export interface Tracing {
  /** False where spans go nowhere; who has to work for their content may ask. */
  readonly enabled: boolean;
  record(span: EndedSpan): void;
  /** Sends what is left; never throws. */
  close(): Promise<void>;
}

export const NO_TRACING: Tracing = {
  enabled: false,
  record: () => undefined,
  close: () => Promise.resolve(),
};

/** A piece of work's place in its run's trace. */
export class TraceScope {
  readonly #tracing: Tracing;
  readonly run: string;
  /** The span that stands for the work. */
  readonly span: string;

  constructor(tracing: Tracing, run: string, span: string) {
    this.#tracing = tracing;
    this.run = run;
    this.span = span;
  }

  /**
   * Records a span below the work's, or below `parent`.
   * @param key what tells it from the work's other spans
   * @returns its id, for spans below it
   */
  record(
    key: readonly (string | number)[],
    span: Omit<EndedSpan, "run" | "id" | "parent"> & { readonly parent?: string },
  ): string {
    const id = this.idOf(key);
    this.#tracing.record({ parent: this.span, ...span, run: this.run, id });
    return id;
  }

  /** The id that a span will have once it has ended. */
  idOf(key: readonly (string | number)[]): string {
    return spanIdOf(this.run, this.span, ...key);
  }
}

/** Opens tracing as the OpenTelemetry variables say: an endpoint turns it on, OTEL_SDK_DISABLED off. */
export async function openTracing(
  service: string,
  variables: Readonly<Record<string, string | undefined>>,
  log: Log,
): Promise<Tracing> {
  const endpoint =
    variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? variables.OTEL_EXPORTER_OTLP_ENDPOINT ?? "";
  if (endpoint === "" || variables.OTEL_SDK_DISABLED?.toLowerCase() === "true") return NO_TRACING;
  try {
    const { otlpTracing } = await import("./tracing-otlp.ts");
    return otlpTracing(service, variables, log);
  } catch (error) {
    log.error({ err: error }, "tracing cannot be opened; the process works without it");
    return NO_TRACING;
  }
}
