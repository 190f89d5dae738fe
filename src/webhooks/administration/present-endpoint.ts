import { z } from 'zod';
import type { EndpointRecord } from './endpoints.ts';

const maybe = z.iso.datetime().nullable();

const HEALTH_STATES = ['healthy', 'failing', 'open', 'disabled'] as const;

export const endpointSchema = z
  .object({
    id: z.string(),
    url: z.string(),
    description: z.string(),
    event_types: z
      .array(z.string())
      .nullable()
      .describe('null: every type but those that must be named.'),
    enabled: z.boolean(),
    rate_limit: z.int().nullable().describe('Deliveries a minute; null for no limit.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    disabled_reason: z.string().nullable(),
    disabled_at: maybe,
    previous_secret_valid_until: maybe.describe(
      'While a rotation is under way: until then the secret before signs, too.',
    ),
    health: z.object({
      state: z
        .enum(HEALTH_STATES)
        .describe(
          'failing: the last attempts failed. open: so many failed that nothing is sent until next_probe_at, when one delivery probes it.',
        ),
      failing_since: maybe.describe('The first failure since the last success.'),
      failures: z.int().describe('Since the last success.'),
      last_success_at: maybe.describe('Exact to five seconds.'),
      last_failure_at: maybe,
      next_probe_at: maybe,
    }),
  })
  .meta({ id: 'WebhookEndpoint' });

/** Shown once, when the secret is created. */
export const secretField = z
  .string()
  .describe('`whsec_…`: signs every delivery. It is shown this once; keep it like a password.');

export function presentEndpoint(endpoint: EndpointRecord): z.input<typeof endpointSchema> {
  const state = stateOf(endpoint);
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    event_types: endpoint.event_types,
    enabled: endpoint.enabled,
    rate_limit: endpoint.rate_limit,
    created_at: endpoint.created_at.toISOString(),
    updated_at: endpoint.updated_at.toISOString(),
    disabled_reason: endpoint.disabled_reason,
    disabled_at: iso(endpoint.disabled_at),
    previous_secret_valid_until: iso(endpoint.previous_secret_until),
    health: {
      state,
      failing_since: iso(endpoint.failing_since),
      failures: endpoint.failures,
      last_success_at: iso(endpoint.last_success_at),
      last_failure_at: iso(endpoint.last_failure_at),
      next_probe_at: state === 'open' ? iso(endpoint.breaker_until) : null,
    },
  };
}

/** The breaker stays open until a probe succeeds, so it may be open beyond `next_probe_at`. */
function stateOf(endpoint: EndpointRecord): (typeof HEALTH_STATES)[number] {
  if (!endpoint.enabled) return 'disabled';
  if (endpoint.breaker_until !== null) return 'open';
  return endpoint.failing_since === null ? 'healthy' : 'failing';
}

function iso(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}
