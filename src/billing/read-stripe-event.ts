import { Problem } from '#src/platform/errors.ts';
import { isNestedDeeper } from '#src/platform/json-depth.ts';
import { type StripeEvent, stripeEvent } from './stripe-object.ts';

/**
 * Parses a signed request as an event. An event without a creation time gets the time of its signature.
 * @throws Problem BAD_REQUEST that names what is missing
 */
export function readStripeEvent(signed: unknown, signature: string | undefined): StripeEvent {
  if (isNestedDeeper(signed, MAX_LEVELS)) {
    throw new Problem('BAD_REQUEST', `The body is nested more than ${MAX_LEVELS} levels deep.`);
  }
  const json = storable(signed);
  const { data: event, error } = stripeEvent.safeParse(withCreated(json, signature));
  if (event) return event;
  const fields = new Set(error.issues.map(({ path }) => String(path[0] ?? '')));
  const faults = [...fields].map((field) => faultOf(json, field));
  throw new Problem(
    'BAD_REQUEST',
    `The body is signed but is not a Stripe event: ${faults.join(', ')}.`,
  );
}

/** Stripe's objects have about ten levels. */
const MAX_LEVELS = 100;
/** NUL and half surrogate pairs as escaped by `JSON.stringify`: Postgres stores neither. */
const UNSTORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

function storable(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json).replaceAll(UNSTORABLE, '$1\\ufffd'));
}

function withCreated(json: unknown, signature: string | undefined): unknown {
  if (!isObject(json) || !isMissing(json['created'])) return json;
  return { ...json, created: signedAt(signature) ?? json['created'] };
}

/** In seconds; the last `t` is the one used to check the signature. */
function signedAt(signature: string | undefined): number | null {
  const times = (signature ?? '').split(',').filter((part) => part.startsWith('t='));
  const seconds = Number.parseInt(times.at(-1)?.slice(2) ?? '', 10);
  return Number.isNaN(seconds) ? null : seconds;
}

function faultOf(json: unknown, field: string): string {
  if (!isObject(json)) return 'it is not a JSON object';
  return isMissing(json[field]) ? `${field} is missing` : `${field} is not what Stripe sends there`;
}

function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}
