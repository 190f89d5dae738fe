import { withoutLastSlashes } from '#src/platform/base-url.ts';
import { ToolFailed } from '#src/chat/tools/tool.ts';
import { isObject, type JsonObject } from './json-object.ts';
import type { Operation, OperationBody, OperationMethod } from './operation.ts';
import { joinValues, queryPairs, textOfValue } from './serialize-value.ts';

const MAX_URL_CHARACTERS = 16_000;

export interface OperationRequest {
  url: string;
  method: OperationMethod;
  body: string | null;
  /** Limit of the body. */
  mediaType: string | null;
}

/**
 * Builds the request of an operation. A path argument stays one segment and a query argument one value; no argument
 * reaches the host, another path or a header.
 * @param input arguments that `checkArguments` has accepted
 * @throws ToolFailed for a path argument that a path cannot hold
 */
export function buildRequest(operation: Operation, input: JsonObject): OperationRequest {
  const url = `${operation.baseUrl}${fillPath(operation, input)}${queryOf(operation, input)}`;
  if (url.length > MAX_URL_CHARACTERS) {
    throw new ToolFailed('The arguments are too long for an address. Send less.');
  }
  assertStaysWithin(operation.baseUrl, url);
  const { body } = operation;
  const value = body === null ? undefined : input[body.argument];
  const isSent = body !== null && value !== undefined;
  return {
    url,
    method: operation.method,
    body: isSent ? writeBody(body, value) : null,
    mediaType: isSent ? body.mediaType : null,
  };
}

function fillPath({ path, parameters }: Operation, input: JsonObject): string {
  const filled = path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    const value = parameter ? input[parameter.argument] : undefined;
    const text = parameter
      ? parameter.isJson
        ? encode(JSON.stringify(value))
        : joinValues(value, parameter, encode)
      : '';
    if (text === '') throw new ToolFailed(`The argument ${name} must not be empty.`);
    return text;
  });
  // Browsers and servers treat these as path steps, however they are encoded.
  const step = filled.split('/').find((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
  if (step === undefined) return filled;
  throw new ToolFailed('An argument of the path must not be "." or "..".');
}

function queryOf({ parameters }: Operation, input: JsonObject): string {
  const pairs = parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap((parameter) => {
      const value = input[parameter.argument];
      if (value === undefined || value === null) return [];
      if (parameter.isJson) return [[parameter.name, encode(JSON.stringify(value))] as const];
      return queryPairs(parameter, value, encode);
    });
  if (pairs.length === 0) return '';
  return `?${pairs.map(([name, value]) => `${encode(name)}=${value}`).join('&')}`;
}

/** RFC 3986: leaves only unreserved characters unencoded. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A safeguard: encoded arguments cannot lead elsewhere, but if they ever do, the call ends here. */
function assertStaysWithin(baseUrl: string, text: string): void {
  const [base, url] = [URL.parse(baseUrl), URL.parse(text)];
  const root = withoutLastSlashes(base?.pathname ?? '');
  if (base && url?.origin === base.origin && url.pathname.startsWith(`${root}/`)) return;
  throw new ToolFailed('The arguments lead to another address than that of the tool.');
}

function writeBody({ format }: OperationBody, value: unknown): string {
  if (format === 'json') return JSON.stringify(value);
  if (format === 'text') return textOfValue(value);
  if (!isObject(value)) throw new ToolFailed('The argument body must be an object.');
  return new URLSearchParams(
    Object.entries(value)
      .filter(([, one]) => one !== undefined && one !== null)
      .flatMap(([name, one]) =>
        (Array.isArray(one) ? one : [one]).map((item) => [name, textOfValue(item)]),
      ),
  ).toString();
}
