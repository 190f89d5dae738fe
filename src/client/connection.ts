import { errorOf, MillraceError, parseJson } from './millrace-error.ts';

export interface ConnectionOptions {
  /** Address of the service, with or without `/api` at its end. */
  baseUrl: string;
  apiKey: string;
  /** Another `fetch`, such as one with a proxy; the platform's own unless given. */
  fetch?: typeof fetch;
  /** Limit of a call that is no answer; 30 s unless given. */
  timeoutMs?: number;
  /** A stream that is silent for longer counts as broken; 60 s unless given. The service says something every 15 s. */
  idleTimeoutMs?: number;
  /** Pauses between tries; tests pass one that does not wait. */
  wait?: (delayMs: number, signal?: AbortSignal) => Promise<void>;
}

export interface Call {
  /** Sent as JSON. */
  body?: unknown;
  form?: FormData;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
  /** Null: as long as it takes. */
  timeoutMs?: number | null;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The one place of the client that sends requests. */
export interface Connection {
  readonly idleTimeoutMs: number;
  /**
   * @returns a successful answer, its body unread
   * @throws MillraceError for any other, and when none comes; the signal's reason
   */
  request(method: Method, path: string, call?: Call): Promise<Response>;
  /** The JSON of a successful answer: what the service's own description says of this path. */
  json<T>(method: Method, path: string, call?: Call): Promise<T>;
  wait(delayMs: number, signal?: AbortSignal): Promise<void>;
}

const TIMEOUT_MS = 30_000;
const IDLE_TIMEOUT_MS = 60_000;

/** Nothing is sent before the first call. */
export function openConnection(options: ConnectionOptions): Connection {
  const send = options.fetch ?? fetch;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const defaultTimeoutMs = options.timeoutMs ?? TIMEOUT_MS;

  async function request(method: Method, path: string, call: Call = {}): Promise<Response> {
    const timeoutMs = call.timeoutMs === undefined ? defaultTimeoutMs : call.timeoutMs;
    const limits = [call.signal, timeoutMs === null ? null : AbortSignal.timeout(timeoutMs)];
    const signal = AbortSignal.any(limits.filter((limit) => limit instanceof AbortSignal));
    const name = `${method} ${path}`;
    let response: Response;
    try {
      response = await send(baseUrl + path, { method, signal, ...contentOf(call, options.apiKey) });
    } catch (error) {
      const reason: unknown = call.signal?.aborted ? call.signal.reason : error;
      throw noAnswer(baseUrl, reason);
    }
    if (!response.ok) throw await errorOf(name, response);
    return response;
  }
  return {
    idleTimeoutMs: options.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
    request,
    async json<T>(method: Method, path: string, call: Call = {}): Promise<T> {
      const response = await request(method, path, call);
      const value = parseJson(await response.text());
      if (value === undefined) {
        throw new MillraceError(
          `${method} ${path} answered no JSON. Is ${baseUrl} the address of a Millrace service?`,
          { status: response.status, errorCode: 'UNEXPECTED_ANSWER' },
        );
      }
      // A door: the types are made from the description of the very service that answers.
      return value as T;
    },
    wait: options.wait ?? pause,
  };
}

function contentOf({ body, form, headers }: Call, apiKey: string): RequestInit {
  return {
    // A redirect would carry the key to another address.
    redirect: 'error',
    headers: {
      ...headers,
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(form === undefined ? {} : { body: form }),
  };
}

/** What `fetch` throws, as a `MillraceError`; what the caller aborts with, or its own `fetch` throws, stays as it is. */
function noAnswer(from: string, error: unknown): unknown {
  if (error instanceof Error && error.name === 'TimeoutError') {
    const facts = { status: null, errorCode: 'TIMEOUT', cause: error };
    return new MillraceError(`No answer from ${from} in time.`, facts);
  }
  if (!(error instanceof TypeError)) return error;
  const { cause } = error;
  const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : error.message;
  return new MillraceError(`No answer from ${from} (${reason}). Is the service running?`, {
    status: null,
    errorCode: 'NO_ANSWER',
    cause: error,
  });
}

function pause(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error); // what the caller aborted with
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, delayMs);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
