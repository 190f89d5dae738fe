import type { ModelErrorCode } from './model-failed.ts';

/** The known details of a failed call. */
export interface ProviderReport {
  /** HTTP status of the failure; null when there was none, or when the answer had begun. */
  status: number | null;
  /** `type` and `code` of the provider's error object. */
  labels: readonly string[];
  words: string;
  /** False: it came in an event of the stream, or the error is of no known kind. */
  isFromLibrary: boolean;
}

/*
 * Providers share no vocabulary. These are the labels and sentences of OpenAI, Azure OpenAI, vLLM, llama.cpp, Ollama,
 * LiteLLM and OpenRouter, as their documentation and sources have them.
 */
const CONTEXT_TOO_LONG =
  /context[_ ](?:length|window|size)|maximum context|max(?:imum)? (?:model|prompt|input) length|(?:prompt|input|request)(?: is)? too (?:long|large)|too many (?:input )?tokens|reduce the length|exceeds the available context/i;
const CONTENT_POLICY =
  /content[_ ](?:policy|filter)|content management policy|safety system|responsible ?ai|flagged (?:by|as)|moderation/i;
const BUDGET =
  /insufficient[_ ](?:quota|funds|balance|credits?)|exceeded your current quota|credit balance|billing[_ ](?:hard[_ ])?limit|billing_not_active|budget[_ ](?:has been )?exceeded|exceeded[^.]{0,20} budget/i;
const RATE_LIMIT = /rate[_ ]?limit|too many requests/i;
const OVERLOADED = /overloaded|unavailable|over capacity/i;
const CONNECTION =
  /cannot connect|failed to process successful response|without a finish reason|broke off|nothing arrived|\bterminated|other side closed|socket|network|timed? ?out|econnre|epipe/i;

const BY_STATUS: ReadonlyMap<number, ModelErrorCode> = new Map([
  [400, 'BAD_REQUEST'],
  [401, 'AUTH_ERROR'],
  [402, 'BUDGET_EXCEEDED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [408, 'CONNECTION_ERROR'],
  [413, 'REQUEST_TOO_LARGE'],
  [422, 'UNPROCESSABLE_ENTITY'],
  [429, 'RATE_LIMIT'],
  [502, 'SERVICE_UNAVAILABLE'],
  [503, 'SERVICE_UNAVAILABLE'],
  [504, 'CONNECTION_ERROR'],
  [529, 'SERVICE_UNAVAILABLE'],
]);

const BY_LABEL: ReadonlyMap<string, ModelErrorCode> = new Map([
  ['authentication_error', 'AUTH_ERROR'],
  ['invalid_api_key', 'AUTH_ERROR'],
  ['permission_error', 'PERMISSION_DENIED'],
  ['model_not_found', 'NOT_FOUND'],
  ['not_found_error', 'NOT_FOUND'],
  ['invalid_request_error', 'BAD_REQUEST'],
  ['request_too_large', 'REQUEST_TOO_LARGE'],
]);

/** The code of the failure in the API. */
export function classifyFailure({
  status: httpStatus,
  labels,
  words,
  isFromLibrary,
}: ProviderReport): ModelErrorCode {
  const status = httpStatus ?? labels.map(Number).find(isFailureStatus) ?? null;
  const text = [...labels, words].join('\n');
  const isRequestFault = status === null || [400, 403, 413, 422, 500].includes(status);
  if (isRequestFault && CONTEXT_TOO_LONG.test(text)) return 'CONTEXT_TOO_LONG';
  if (isRequestFault && CONTENT_POLICY.test(text)) return 'CONTENT_POLICY';
  if ((status === 400 || status === 403 || status === 429 || status === null) && BUDGET.test(text))
    return 'BUDGET_EXCEEDED';
  if (status !== null) return byStatus(status);
  const labelled = labels.map((name) => BY_LABEL.get(name)).find((code) => code !== undefined);
  if (labelled !== undefined) return labelled;
  if (RATE_LIMIT.test(text)) return 'RATE_LIMIT';
  if (OVERLOADED.test(text)) return 'SERVICE_UNAVAILABLE';
  if (CONNECTION.test(text)) return 'CONNECTION_ERROR';
  return isFromLibrary || labels.length > 0 ? 'API_ERROR' : 'UNKNOWN_ERROR';
}

function byStatus(status: number): ModelErrorCode {
  const known = BY_STATUS.get(status);
  if (known !== undefined) return known;
  return status < 500 ? 'BAD_REQUEST' : 'API_ERROR';
}

function isFailureStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 400 && status < 600;
}
