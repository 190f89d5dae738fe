import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { createSampler } from './create-sampler.ts';
import { openTraceExporter } from './open-trace-exporter.ts';
import { linksTo, MAX_LINKS, remoteContext, sampledFirst, traceparentOf } from './trace-origin.ts';
import type { TelemetryConfig } from './telemetry-settings.ts';
import {
  failureType,
  type OpenSpan,
  type SpanStart,
  type TraceOrigin,
  type Tracing,
} from './tracing.ts';

const CLOSE_TIMEOUT_MS = 4_000;

const KINDS: Readonly<Record<SpanStart['kind'], SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** The span that the present work belongs to. */
interface Active {
  readonly span: Span;
  /** Other requests that this work is for. */
  readonly linked: TraceOrigin;
}

/**
 * Sends spans over OTLP/HTTP. Nothing is registered globally, so no other package adds spans with unvetted attributes.
 */
export function startTracing(
  config: TelemetryConfig,
  { log, version }: { log: Logger; version: string },
): Tracing {
  const provider = openProvider(config, log, version);
  const tracer = provider.getTracer('millrace', version);
  const around = new AsyncLocalStorage<Active>();

  const begin = (
    name: string,
    start: SpanStart,
    parent: Context,
    linked: TraceOrigin,
  ): OpenSpan => {
    const span = tracer.startSpan(
      name,
      { kind: KINDS[start.kind], attributes: { ...start.attributes }, links: linksTo(linked) },
      parent,
    );
    return handleOf(span, (work) => around.run({ span, linked }, work));
  };
  const under = ({ span }: Active): Context => trace.setSpan(ROOT_CONTEXT, span);

  return {
    isOn: true,
    open(name, { origin = [], traceState, ...start }) {
      const [parent, ...linked] = origin;
      return begin(name, start, remoteContext(parent, traceState), linked);
    },
    async step(name, { origins, ...start }, work) {
      const active = around.getStore();
      if (origins === undefined) {
        if (active === undefined) return work(IDLE);
        return finish(begin(name, start, under(active), active.linked), work);
      }
      const [parent, ...linked] = sampledFirst(origins);
      // Not a part of the work that happens to be around.
      if (parent === undefined) return around.exit(() => work(IDLE));
      return finish(begin(name, start, remoteContext(parent), linked), work);
    },
    record(name, { kind, attributes, durationMs, failure }) {
      const active = around.getStore();
      if (active === undefined || !active.span.isRecording()) return;
      const startTime = Date.now() - durationMs;
      const span = tracer.startSpan(
        name,
        { kind: KINDS[kind], attributes: { ...attributes }, startTime },
        under(active),
      );
      if (failure !== null) fail(span, failure);
      span.end(startTime + durationMs);
    },
    origin: () => originOf(around.getStore()),
    close: () => closeWithin(provider, log),
  };
}

function openProvider(config: TelemetryConfig, log: Logger, version: string): TracerProvider {
  return new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.version': version,
        'service.instance.id': randomUUID(),
        ...config.OTEL_RESOURCE_ATTRIBUTES,
        'service.name': config.OTEL_SERVICE_NAME,
      }),
    ),
    sampler: createSampler(config),
    spanLimits: { linkCountLimit: MAX_LINKS, attributeValueLengthLimit: 2_000 },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: openTraceExporter(config, log),
        scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
        maxQueueSize: config.OTEL_BSP_MAX_QUEUE_SIZE,
        maxExportBatchSize: Math.min(
          config.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
          config.OTEL_BSP_MAX_QUEUE_SIZE,
        ),
        exportTimeoutMillis: config.OTEL_EXPORTER_OTLP_TIMEOUT,
      }),
    ],
  });
}

const IDLE: OpenSpan = { run: (work) => work(), set() {}, rename() {}, fail() {}, end() {} };

function originOf(active: Active | undefined): TraceOrigin {
  return active === undefined ? [] : [traceparentOf(active.span.spanContext()), ...active.linked];
}

async function finish<T>(span: OpenSpan, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  try {
    return await span.run(() => work(span));
  } catch (error) {
    span.fail(failureType(error));
    throw error;
  } finally {
    span.end();
  }
}

function handleOf(span: Span, run: OpenSpan['run']): OpenSpan {
  return {
    run,
    set: (attributes) => void span.setAttributes({ ...attributes }),
    rename: (name) => void span.updateName(name),
    fail: (type) => fail(span, type),
    end: () => span.end(),
  };
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

async function closeWithin(provider: TracerProvider, log: Logger): Promise<void> {
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), CLOSE_TIMEOUT_MS);
  try {
    if ((await Promise.race([provider.shutdown(), late.promise])) === 'late') {
      log.warn('the last spans were not sent: the collector did not answer in time');
    }
  } catch {
    // The exporter has said why.
  } finally {
    clearTimeout(timer);
  }
}
