import type { Operations } from './api-types.ts';
import { ApiProblem, problemOf } from './problem.ts';

/** An endpoint as the API's description names it: `GET /account/api-keys`. */
export type Operation = keyof Operations;
export type Reply<O extends Operation> = Operations[O]['reply'];
type BodyOf<O extends Operation> = Operations[O] extends { body: infer Body } ? Body : never;
type QueryOf<O extends Operation> = Operations[O] extends { query: infer Query } ? Query : never;

export interface Given<O extends Operation> {
  /** Values of the path's parameters. */
  path?: Readonly<Record<string, string | number>>;
  query?: { [Name in keyof QueryOf<O>]?: QueryOf<O>[Name] | null | undefined };
  body?: BodyOf<O>;
  /** Instead of a body, where the endpoint takes files. */
  form?: FormData;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  /** 30 s unless given; null waits as long as it takes. */
  timeoutMs?: number | null;
}

const TIMEOUT_MS = 30_000;

type Listener = () => void;
let onSignedOut: Listener = () => undefined;

/** What to do when the service says that nobody is signed in. */
export function whenSignedOut(listener: Listener): void {
  onSignedOut = listener;
}

/**
 * Calls an endpoint with the session of this browser.
 * @throws ApiProblem for a refusal, and when no answer comes; the signal's reason
 */
export async function call<O extends Operation>(
  operation: O,
  given: Given<O> = {},
): Promise<Reply<O>> {
  const response = await send(operation, given);
  // Trusted: the types come from the description of the same service.
  return (await response.json()) as Reply<O>;
}

/** As `call`; the answer is not read yet. */
export async function send<O extends Operation>(
  operation: O,
  given: Given<O> = {},
): Promise<Response> {
  const [method = 'GET', pattern = '/'] = operation.split(' ');
  const { body, form, signal, timeoutMs = TIMEOUT_MS } = given;
  const headers = {
    ...given.headers,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const limits = [signal, timeoutMs === null ? null : AbortSignal.timeout(timeoutMs)];
  let response: Response;
  try {
    response = await fetch(addressOf(pattern, given), {
      method,
      redirect: 'error',
      signal: AbortSignal.any(limits.filter((limit) => limit instanceof AbortSignal)),
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(form && { body: form }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw noAnswer(error);
  }
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (response.status === 401 && !pattern.startsWith('/auth/')) onSignedOut();
  throw problem;
}

function addressOf(
  pattern: string,
  { path = {}, query = {} }: { path?: Readonly<Record<string, string | number>>; query?: object },
): string {
  const filled = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(path[name] ?? ''),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, unknown][]) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      search.set(name, String(value));
  }
  return search.size === 0 ? filled : `${filled}?${search.toString()}`;
}

function noAnswer(error: unknown): ApiProblem {
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  const message = isTimeout
    ? 'The service took longer than 30 s to answer. Try again.'
    : 'The service does not answer. Check the connection, and whether the service is running.';
  return new ApiProblem(message, { status: null, code: isTimeout ? 'TIMEOUT' : 'NO_ANSWER' });
}
