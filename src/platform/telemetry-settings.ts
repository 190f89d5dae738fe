import { z } from 'zod';
import { optional, url, wholeNumber, withDefault } from './setting-kinds.ts';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** `key=value` pairs separated by commas, values percent-encoded, as in W3C Baggage. */
const pairs = z.string().transform((text, context): Record<string, string> => {
  const found: Record<string, string> = {};
  for (const part of text.split(',').filter((one) => one.trim() !== '')) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(at, 0)).trim();
    const value = decoded(part.slice(at + 1).trim());
    if (name === '' || value === null) {
      // Without the text: headers are secrets.
      context.addIssue('must be name=value pairs separated by commas, with values percent-encoded');
      return z.NEVER;
    }
    found[name] = value;
  }
  return found;
});

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const ratio = z.coerce
  .number({ error: 'must be a number from 0 to 1' })
  .min(0, 'must be a number from 0 to 1')
  .max(1, 'must be a number from 0 to 1');

/**
 * The standard variables that apply to traces over OTLP/HTTP; a wrong value stops the start like any other setting.
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export const telemetrySettings = z.object({
  OTEL_SDK_DISABLED: withDefault(z.stringbool(), 'false'),
  OTEL_SERVICE_NAME: withDefault(z.string(), 'millrace'),
  OTEL_RESOURCE_ATTRIBUTES: withDefault(pairs, ''),
  OTEL_TRACES_EXPORTER: withDefault(z.enum(['otlp', 'none']), 'otlp'),
  OTEL_TRACES_SAMPLER: withDefault(z.enum(SAMPLERS), 'parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: withDefault(ratio, 1),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(url('http:', 'https:')),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(url('http:', 'https:')),
  OTEL_EXPORTER_OTLP_PROTOCOL: withDefault(z.string(), 'http/protobuf'),
  OTEL_EXPORTER_OTLP_HEADERS: withDefault(pairs, ''),
  OTEL_EXPORTER_OTLP_COMPRESSION: withDefault(z.enum(['gzip', 'none']), 'none'),
  OTEL_EXPORTER_OTLP_TIMEOUT: withDefault(wholeNumber(1, 600_000), 10_000),
  OTEL_BSP_SCHEDULE_DELAY: withDefault(wholeNumber(1, 600_000), 5_000),
  OTEL_BSP_MAX_QUEUE_SIZE: withDefault(wholeNumber(1, 1_000_000), 2_048),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: withDefault(wholeNumber(1, 100_000), 512),
});

export type TelemetryConfig = z.output<typeof telemetrySettings>;

export const UNSUPPORTED_PROTOCOL =
  'OTEL_EXPORTER_OTLP_PROTOCOL: traces are sent as http/protobuf only. Set that, or leave it out, and name the port of OTLP/HTTP (usually 4318) in OTEL_EXPORTER_OTLP_ENDPOINT.';

/** Traces are off unless there is somewhere to send them. */
export function isTracing(config: TelemetryConfig): boolean {
  return (
    !config.OTEL_SDK_DISABLED &&
    config.OTEL_TRACES_EXPORTER !== 'none' &&
    tracesUrlOf(config) !== null
  );
}

/** The endpoint of all signals is a base address; that of traces is used as it is. */
export function tracesUrlOf(config: TelemetryConfig): string | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = config;
  if (traces !== undefined) return traces;
  return base === undefined ? null : `${base.replace(/\/+$/, '')}/v1/traces`;
}
