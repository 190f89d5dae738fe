import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { parseJson, unexpectedAnswer } from './api-failure.ts';
import type { ServiceAddress } from './find-service.ts';
import { type Patience, refusal, type Retrying, retry } from './retry-call.ts';

export interface Call {
  body?: unknown;
  /** Headers beyond those of every call; sent again with each retry. */
  headers?: Readonly<Record<string, string>>;
  timeoutMs?: number;
  patience?: Patience;
  /** Repeating the call has no further effect, so it may also be retried when the connection broke after sending. */
  repeatable?: boolean;
}

/** The only place in the command line that makes HTTP calls. The terminal's signal ends every call. */
export interface ApiClient {
  readonly url: string;
  readonly signal: AbortSignal;
  /** @throws ApiFailure with a message for the terminal */
  json<T>(method: Method, path: string, answer: z.ZodType<T>, call?: Call): Promise<T>;
  text(path: string, call?: Call): Promise<string>;
  /** Tells the user why nothing happens for a while. */
  note(sentence: string): void;
  /** Waits; rejects early with the signal's reason. */
  wait(delayMs: number): Promise<void>;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';

export interface ApiClientOptions extends ServiceAddress {
  signal: AbortSignal;
  /** Called before each wait, so that the user knows why nothing happens. */
  note: (sentence: string) => void;
  /** For tests: a replacement that does not wait. */
  wait?: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

const TIMEOUT_MS = 30_000;
const PATIENCE: Patience = { unreachableMs: 10_000, busyMs: 60_000 };

/** Creates a client; sends nothing before the first call. */
export function openApiClient(options: ApiClientOptions): ApiClient {
  const { url, signal } = options;
  const wait = (delayMs: number): Promise<void> =>
    options.wait ? options.wait(delayMs, signal) : sleep(delayMs, undefined, { signal });
  const connection: Connection = { ...options, wait };
  return {
    url,
    signal,
    note: options.note,
    wait,
    async json(method, path, answer, call = {}) {
      const { status, text } = await exchange(connection, method, path, call);
      const parsed = answer.safeParse(parseJson(text));
      if (parsed.success) return parsed.data;
      const detail = z.prettifyError(parsed.error).split('\n')[0] ?? 'no JSON';
      throw unexpectedAnswer(`${method} ${path}`, status, detail);
    },
    async text(path, call = {}) {
      return (await exchange(connection, 'GET', path, call)).text;
    },
  };
}

type Connection = ServiceAddress & Retrying;

async function exchange(
  connection: Connection,
  method: Method,
  path: string,
  call: Call,
): Promise<{ status: number; text: string }> {
  const repeatable = call.repeatable ?? method !== 'POST';
  return retry(connection, call.patience ?? PATIENCE, repeatable, async () => {
    const deadline = AbortSignal.timeout(call.timeoutMs ?? TIMEOUT_MS);
    const signal = AbortSignal.any([connection.signal, deadline]);
    const response = await send(connection, method, path, call, signal);
    if (!response.ok) throw await refusal(`${method} ${path}`, response);
    return { status: response.status, text: await response.text() };
  });
}

function send(
  { url, key }: Connection,
  method: Method,
  path: string,
  { body, headers }: Pick<Call, 'body' | 'headers'>,
  signal: AbortSignal,
): Promise<Response> {
  return fetch(url + path, {
    method,
    signal,
    redirect: 'error',
    headers: {
      ...headers,
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/plain',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
