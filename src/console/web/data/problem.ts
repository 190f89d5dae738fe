/** Why a request failed, fit to be shown. */
export class ApiProblem extends Error {
  /** Null when no answer came. */
  readonly status: number | null;
  readonly code: string;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(
    message: string,
    facts: {
      status: number | null;
      code: string;
      requestId?: string | null;
      retryAfterSeconds?: number | null;
    },
  ) {
    super(message);
    this.name = 'ApiProblem';
    this.status = facts.status;
    this.code = facts.code;
    this.requestId = facts.requestId ?? null;
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
  }
}

export function toProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ApiProblem(message, { status: null, code: 'FAILED' });
}

const ADDRESS = /\b(?:GET|POST|PUT|PATCH|DELETE) \//;

/** Without the sentences that tell programs which address to call. */
export function forPeople(detail: string): string {
  const kept = detail.split(/(?<=[.!?]) /).filter((sentence) => !ADDRESS.test(sentence));
  return kept.length === 0 ? detail : kept.join(' ');
}

/** The problem that the body of a refused request tells. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const body: unknown = await response.json().catch(() => null);
  const facts = typeof body === 'object' && body !== null ? body : {};
  const text = (name: string): string | null => {
    const value: unknown = Reflect.get(facts, name);
    return typeof value === 'string' ? value : null;
  };
  const detail = text('detail') ?? `The service answered with status ${response.status}.`;
  return new ApiProblem(forPeople(detail), {
    status: response.status,
    code: text('error_code') ?? 'UNEXPECTED_ANSWER',
    requestId: text('request_id') ?? response.headers.get('x-request-id'),
    retryAfterSeconds: Number(response.headers.get('retry-after')) || null,
  });
}
