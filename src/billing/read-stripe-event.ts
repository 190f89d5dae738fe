import { Problem } from '#src/platform/errors.ts';
import { isNestedDeeper } from '#src/platform/json-depth.ts';
import { type StripeEvent, stripeEvent } from './stripe-object.ts';

/**
 * Reads the JSON of a signed request as an event. One that does not say when it was made was made when it was signed.
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
    `The body is signed but is no event of Stripe: ${faults.join(', ')}.`,
  );
}

/** Stripe's objects have about ten. */
const MAX_LEVELS = 100;
/** NUL and half surrogate pairs, as `JSON.stringify` writes them: Postgres stores neither. */
const UNSTORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

function storable(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json).replaceAll(UNSTORABLE, '$1\\ufffd'));
}

function withCreated(json: unknown, signature: string | undefined): unknown {
  if (!isObject(json) || !isMissing(json['created'])) return json;
  return { ...json, created: signedAt(signature) ?? json['created'] };
}

/** In seconds; the last `t` is the one that the signature was checked with. */
function signedAt(signature: string | undefined): number | null {
  const times = (signature ?? '').split(',').filter((part) => part.startsWith('t='));
  const seconds = Number.parseInt(times.at(-1)?.slice(2) ?? '', 10);
  return Number.isNaN(seconds) ? null : seconds;
}

function faultOf(json: unknown, field: string): string {
  if (!isObject(json)) return 'it is no JSON object';
  return isMissing(json[field]) ? `${field} is missing` : `${field} is not what Stripe sends there`;
}

function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}
