import { z } from 'zod';

/** A call to the service that failed for good; the message is a sentence for the terminal. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** HTTP status, or null without an answer. */
  readonly status: number | null;

  constructor(message: string, status: number | null, options: { cause?: unknown } = {}) {
    super(message, options);
    this.status = status;
  }
}

const errorBody = z.object({
  error_code: z.string(),
  detail: z.string(),
  request_id: z.string().nullish(),
});

const MAX_SHOWN_BODY = 300;

/** Converts an error answer into a message with its error_code and request_id. */
export async function failureOf(call: string, response: Response): Promise<ApiFailure> {
  const text = await response.text().catch(() => '');
  const parsed = errorBody.safeParse(parseJson(text));
  if (!parsed.success) {
    const shown = text.replace(/\s+/g, ' ').trim().slice(0, MAX_SHOWN_BODY);
    return new ApiFailure(
      `${call} answered ${response.status}${shown ? `: ${shown}` : ''}. Is this the address of a Millrace service?`,
      response.status,
    );
  }
  const { error_code, detail, request_id } = parsed.data;
  const reference = [error_code, request_id && `request ${request_id}`].filter(Boolean).join(', ');
  return new ApiFailure(`${detail} (${reference})`, response.status);
}

/** An answer with the right status but the wrong content. */
export function unexpectedAnswer(call: string, status: number, detail: string): ApiFailure {
  return new ApiFailure(
    `${call} sent an unexpected answer (${detail}). Check the address, and that the service and this command have the same version.`,
    status,
  );
}

/** A call that got no answer. */
export function noAnswer(url: string, error: unknown): ApiFailure {
  return new ApiFailure(
    `No answer from ${url} (${networkReason(error)}). Is the service running? Start one with "npm start", or check MILLRACE_URL.`,
    null,
    { cause: error },
  );
}

/** The short name of a network failure: `ECONNREFUSED`, `timeout`, or the error's message. */
export function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'timeout';
  const cause = error.cause;
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message;
  return error.message;
}

/** The parsed JSON value of a text, or undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
