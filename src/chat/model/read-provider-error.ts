import { z } from 'zod';

import type { ProviderReport } from './classify-failure.ts';

/** Fields of the provider library's errors; all are optional, because they come from outside. */
const libraryError = z.object({
  name: z.string().catch(''),
  message: z.string().catch(''),
  statusCode: z.number().optional().catch(undefined),
  responseBody: z.string().optional().catch(undefined),
  responseHeaders: z.record(z.string(), z.string()).optional().catch(undefined),
  /** A value that could not be parsed as a chunk of an answer. */
  value: z.unknown().optional(),
  cause: z.unknown().optional(),
});
type LibraryError = z.output<typeof libraryError>;

const label = z.union([z.string(), z.number()]).nullish().catch(null);
/** The error objects of OpenAI, of older vLLM (without the outer `error`), of FastAPI and of Ollama. */
const errorObject = z.object({
  message: z.string().nullish().catch(null),
  detail: z.string().nullish().catch(null),
  type: label,
  code: label,
});
const errorBody = z.union([
  z.object({ error: z.union([z.string().transform((message) => ({ message })), errorObject]) }),
  errorObject.transform((error) => ({ error })),
]);

/** These only say that something went wrong; their cause says why. */
const IS_WRAPPER = /^(?:Failed to process successful response|terminated$)/;
const IS_UNREADABLE_CHUNK = /^AI_(?:JSONParse|TypeValidation)Error$/;

/** The details of a failure thrown by the library, with the body of the response and its `Retry-After`. */
export function readProviderError(
  error: unknown,
): ProviderReport & { body: string; retryAfter: string | null } {
  const parsed = libraryError.safeParse(error);
  if (!parsed.success)
    return {
      status: null,
      labels: [],
      words: String(error),
      isFromLibrary: false,
      body: '',
      retryAfter: null,
    };
  const known = parsed.data;
  const said = saidBy(error, known);
  const { statusCode, responseHeaders } = known;
  return {
    // A status below 400 belongs to an answer that broke later.
    status: statusCode === undefined || statusCode < 400 ? null : statusCode,
    labels: said.labels,
    words: said.message ?? ownWords(known),
    isFromLibrary: error instanceof Error,
    body: known.responseBody ?? '',
    retryAfter: responseHeaders?.['retry-after'] ?? null,
  };
}

/** The provider's own message and labels, from the body of its response or from an event of its stream. */
function saidBy(
  error: unknown,
  { responseBody, value }: LibraryError,
): { message: string | null; labels: string[] } {
  const source =
    responseBody === undefined
      ? error instanceof Error
        ? (value ?? null)
        : error
      : parseJson(responseBody);
  // Gemini wraps its error in a list.
  const parsed = errorBody.safeParse(Array.isArray(source) ? source[0] : source);
  if (!parsed.success) return { message: null, labels: [] };
  const found: z.output<typeof errorObject> = { ...NOTHING, ...parsed.data.error };
  return {
    message: found.message ?? found.detail ?? null,
    labels: [found.type, found.code].flatMap((mark) =>
      (mark ?? null) === null ? [] : [String(mark)],
    ),
  };
}

const NOTHING = { message: null, detail: null, type: null, code: null };

function ownWords(known: LibraryError): string {
  const body = known.responseBody?.trim() ?? '';
  if (body !== '' && !body.startsWith('<')) return body;
  if (IS_UNREADABLE_CHUNK.test(known.name)) return 'its stream holds what is no part of an answer';
  return IS_WRAPPER.test(known.message) ? innermostMessage(known) : known.message;
}

function innermostMessage(known: LibraryError): string {
  let { message, cause } = known;
  for (let depth = 0; cause instanceof Error && depth < 5; depth += 1) {
    message = cause.message || message;
    cause = cause.cause;
  }
  return message;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
