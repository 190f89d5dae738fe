import { errorOf, MillraceError, parseJson } from './millrace-error.ts';

export interface ConnectionOptions {
  /** Address of the service, with or without a trailing `/api`. */
  baseUrl: string;
  apiKey: string;
  /** A replacement for the platform's `fetch`, for example one with a proxy. */
  fetch?: typeof fetch;
  /** Timeout of a call that does not stream; 30 s by default. */
  timeoutMs?: number;
  /** A stream that is silent for longer counts as broken; 60 s by default. The service sends something every 15 s. */
  idleTimeoutMs?: number;
  /** Pauses between retries; tests pass one that does not wait. */
  wait?: (delayMs: number, signal?: AbortSignal) => Promise<void>;
}

export interface Call {
  /** Sent as JSON. */
  body?: unknown;
  form?: FormData;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
  /** Null means no timeout. */
  timeoutMs?: number | null;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The only place in the client that sends requests. */
export interface Connection {
  readonly idleTimeoutMs: number;
  /**
   * @returns a successful answer, its body unread
   * @throws MillraceError for any other answer, and when none arrives; the signal's reason
   */
  request(method: Method, path: string, call?: Call): Promise<Response>;
  /** The JSON of a successful answer, as the service describes it for this path. */
  json<T>(method: Method, path: string, call?: Call): Promise<T>;
  wait(delayMs: number, signal?: AbortSignal): Promise<void>;
}

const TIMEOUT_MS = 30_000;
const IDLE_TIMEOUT_MS = 60_000;

/** Sends nothing before the first call. */
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
          `${method} ${path} did not answer with JSON. Is ${baseUrl} the address of a Millrace service?`,
          { status: response.status, errorCode: 'UNEXPECTED_ANSWER' },
        );
      }
      // Trusted without validation: the types are generated from the description of the same service.
      return value as T;
    },
    wait: options.wait ?? pause,
  };
}

function contentOf({ body, form, headers }: Call, apiKey: string): RequestInit {
  return {
    // Following a redirect would send the key to another address.
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

/**
 * Converts errors of `fetch` to a `MillraceError`; the caller's abort reason and errors of a caller's `fetch` stay as
 * they are.
 */
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
      reject(signal?.reason as Error); // the caller's abort reason
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, delayMs);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
