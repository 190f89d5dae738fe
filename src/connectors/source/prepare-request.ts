import type { OutboundRequest } from '#src/platform/http.ts';
import type { SourceHabits, SourceRequest } from './source-http.ts';

export interface PreparedRequest {
  outbound: Omit<OutboundRequest, 'signal'>;
  expect: readonly number[];
  /** Method, host and path for messages, because queries and user names may be secret. */
  place: string;
  /** What the request carries and no message may repeat. */
  secrets: string[];
}

/** The request to send; its own headers override those of the source's habits. */
export function prepareRequest(request: SourceRequest, habits: SourceHabits): PreparedRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...habits.headers })) {
    headers[name.toLowerCase()] = value;
  }
  for (const [name, value] of Object.entries({ ...request.headers })) {
    headers[name.toLowerCase()] = value;
  }
  const body = bodyOf(request);
  if (body !== null) headers['content-type'] ??= body.type;
  const method = request.method ?? (body === null ? 'GET' : 'POST');
  return {
    outbound: {
      url: request.url,
      method,
      headers,
      ...(body !== null && { body: body.text }),
      ...(request.maxBytes !== undefined && { maxBytes: request.maxBytes }),
      ...(request.maxRedirects !== undefined && { maxRedirects: request.maxRedirects }),
    },
    expect: request.expect ?? [],
    place: placeOf(request.url),
    secrets: secretsOf(headers, request),
  };
}

function bodyOf({ json, form }: SourceRequest): { type: string; text: string } | null {
  if (json !== undefined) return { type: 'application/json', text: JSON.stringify(json) };
  if (form === undefined) return null;
  const text = new URLSearchParams(form).toString();
  return { type: 'application/x-www-form-urlencoded', text };
}

function placeOf(address: string): string {
  const url = URL.parse(address);
  return url === null ? 'The source' : `${url.host}${url.pathname}`;
}

/** Shorter values would blot out ordinary words. */
const MIN_SECRET_LENGTH = 8;
const SECRET_NAMES = /secret|token|passw|key|auth|cookie|assertion|signature|credential/i;

function secretsOf(headers: Record<string, string>, { url, form }: SourceRequest): string[] {
  const named = [
    ...Object.entries(headers),
    ...Object.entries(form ?? {}),
    ...(URL.parse(url)?.searchParams ?? []),
  ];
  const values = named
    .filter(([name]) => SECRET_NAMES.test(name))
    // `Bearer abc`: the source may echo all of it or only a part.
    .flatMap(([, value]) => [value, ...value.split(/[\s;,]+/), ...basicParts(value)])
    // A secret looks different when quoted in JSON or in a URL.
    .flatMap((value) => [value, encodeURIComponent(value.toWellFormed())]);
  const long = new Set(values.filter((value) => value.length >= MIN_SECRET_LENGTH));
  // Longest first, so that a secret containing another one leaves no remainder.
  return [...long].toSorted((left, right) => right.length - left.length);
}

/** User and password of `Basic` (RFC 7617); empty for any other scheme. */
function basicParts(value: string): string[] {
  const encoded = /^basic\s+([\w+/=-]+)$/i.exec(value)?.[1];
  if (encoded === undefined) return [];
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  return [pair, pair.slice(pair.indexOf(':') + 1)];
}
