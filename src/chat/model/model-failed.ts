import { Problem } from '#src/platform/errors.ts';

/** Why there is no answer, as in the API; true: a retry may help. */
const IS_RETRYABLE = {
  CONTEXT_TOO_LONG: false,
  CONTENT_POLICY: false,
  BAD_REQUEST: true,
  AUTH_ERROR: false,
  PERMISSION_DENIED: false,
  NOT_FOUND: false,
  UNPROCESSABLE_ENTITY: true,
  BUDGET_EXCEEDED: false,
  RATE_LIMIT: true,
  SERVICE_UNAVAILABLE: true,
  CONNECTION_ERROR: true,
  REQUEST_TOO_LARGE: false,
  API_ERROR: true,
  UNKNOWN_ERROR: true,
  MODEL_REFUSAL: false,
  EMPTY_LLM_RESPONSE: false,
} as const;
export type ModelErrorCode = keyof typeof IS_RETRYABLE;

/** What a failure says of the model that failed. */
export interface ModelFailureDetails extends Readonly<Record<string, unknown>> {
  readonly model: string;
  readonly provider: string;
}

/** The language model did not answer: its provider failed or refused. */
export class ModelFailed extends Problem {
  readonly errorCode: ModelErrorCode;
  /** Whether the same request may succeed later. */
  readonly isRetryable: boolean;
  readonly details: ModelFailureDetails;

  constructor(
    message: string,
    facts: {
      errorCode: ModelErrorCode;
      /** By default according to the code. */
      isRetryable?: boolean;
      details: ModelFailureDetails;
      retryAfterSeconds?: number;
    },
  ) {
    const { errorCode, isRetryable, details, retryAfterSeconds } = facts;
    super('BAD_GATEWAY', message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
    this.errorCode = errorCode;
    this.isRetryable = isRetryable ?? IS_RETRYABLE[errorCode];
    this.details = details;
  }
}
