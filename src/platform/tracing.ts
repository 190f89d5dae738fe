import type { Logger } from 'pino';
import { isTracing, type TelemetryConfig } from './telemetry-settings.ts';

export type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal';

/** Ids, names, counts and states; never texts, addresses of people, tokens or secrets. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanStart {
  kind: SpanKind;
  attributes?: SpanAttributes;
}

export interface OpenSpan {
  /** What `work` does, awaited or not, belongs to this span. */
  run<T>(work: () => T): T;
  set(attributes: SpanAttributes): void;
  rename(name: string): void;
  /** `type` is a class, code or status: messages may quote what must not leave. */
  fail(type: string): void;
  end(): void;
}

/** Where a trace came from: `traceparent` values, of which the first is the parent and the others are linked. */
export type TraceOrigin = readonly string[];

/** Spans of what happens in requests and jobs; does nothing unless OTEL_EXPORTER_OTLP_ENDPOINT is set. */
export interface Tracing {
  readonly isOn: boolean;
  /** Begins a request or job: it continues its origin, or starts a trace. Unreadable origins are ignored. */
  open(
    name: string,
    start: SpanStart & { origin?: TraceOrigin; traceState?: string | undefined },
  ): OpenSpan;
  /**
   * A part of the request or job around it. With `origins`, a part of all of them: the first that is sampled is its
   * parent, the others are linked. Without either, `work` runs unrecorded.
   */
  step<T>(
    name: string,
    start: SpanStart & { origins?: readonly TraceOrigin[] },
    work: (span: OpenSpan) => Promise<T>,
  ): Promise<T>;
  /** A part that has just ended. */
  record(name: string, part: SpanStart & { durationMs: number; failure: string | null }): void;
  /** The current span, for work that continues it elsewhere; empty outside of any. */
  origin(): TraceOrigin;
  /** Sends what is left, for a few seconds at most. */
  close(): Promise<void>;
}

const NO_SPAN: OpenSpan = {
  run: (work) => work(),
  set() {},
  rename() {},
  fail() {},
  end() {},
};

const NO_ORIGIN: TraceOrigin = [];

export const NO_TRACING: Tracing = {
  isOn: false,
  open: () => NO_SPAN,
  step: (_name, _start, work) => work(NO_SPAN),
  record() {},
  origin: () => NO_ORIGIN,
  async close() {},
};

/** Loads the SDK only if it is used. */
export async function openTracing(
  config: TelemetryConfig,
  { log, version }: { log: Logger; version: string },
): Promise<Tracing> {
  if (!isTracing(config)) return NO_TRACING;
  const { startTracing } = await import('./open-telemetry.ts');
  return startTracing(config, { log, version });
}

/** What a failure is called in a span. */
export function failureType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error && typeof error.code === 'string' && error.code !== ''
    ? error.code
    : error.name;
}
