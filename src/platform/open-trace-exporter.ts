import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { failureType } from './tracing.ts';
import { type TelemetryConfig, tracesUrlOf } from './telemetry-settings.ts';

type Options = NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>;

/** Says once that spans do not arrive, and once that they do again; those that could not be sent are dropped. */
export function openTraceExporter(config: TelemetryConfig, log: Logger): SpanExporter {
  const exporter = new OTLPTraceExporter({
    url: tracesUrlOf(config) ?? '',
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    timeoutMillis: config.OTEL_EXPORTER_OTLP_TIMEOUT,
    // The library's enum, of which it exports the type only.
    compression: config.OTEL_EXPORTER_OTLP_COMPRESSION as NonNullable<Options['compression']>,
  });
  let isLost = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== ExportResultCode.SUCCESS;
        if (failed && !isLost) {
          const error = failureType(result.error);
          log.warn({ error }, 'spans do not reach OTEL_EXPORTER_OTLP_ENDPOINT and are dropped');
        }
        if (!failed && isLost) log.info('spans reach OTEL_EXPORTER_OTLP_ENDPOINT again');
        isLost = failed;
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
