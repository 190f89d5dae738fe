import { classifyFailure } from './classify-failure.ts';
import { type Quirk, quirkFor, type RequestBody } from './quirks.ts';
import { readProviderError } from './read-provider-error.ts';

/** Each quirk changes the request, so retries must be bounded; no provider refuses more than this. */
const MAX_TRIED = 6;
/** Statuses of a refused request. Some servers answer 404 or 500 where others answer 400. */
const REFUSALS: ReadonlySet<string> = new Set([
  'BAD_REQUEST',
  'UNPROCESSABLE_ENTITY',
  'NOT_FOUND',
  'API_ERROR',
]);
/** How much of a provider's message to read; its reason comes first. */
const MAX_WORDS = 4_000;

/**
 * Learns how a model wants its requests. What it has refused once is omitted or changed from then on, so a refusal
 * costs one request per process instead of one every time.
 */
export class RequestQuirks {
  #learned: readonly Quirk[] = [];
  /** Its reasoning counts towards the length limit, so a short limit leaves no room for text. */
  reasoningCountsTowardsLimit = false;

  /** Sends a request, with as many retries as needed. */
  begin(): RequestTry {
    return new RequestTry(this.#learned, (quirks) => {
      const names = new Set(this.#learned.map(({ name }) => name));
      this.#learned = [...this.#learned, ...quirks.filter(({ name }) => !names.has(name))];
    });
  }
}

/** One request, with the quirks learned before it and those being tried. */
export class RequestTry {
  readonly #learned: readonly Quirk[];
  readonly #keep: (quirks: readonly Quirk[]) => void;
  readonly #tried: Quirk[] = [];
  #sent: RequestBody = {};

  constructor(learned: readonly Quirk[], keep: (quirks: readonly Quirk[]) => void) {
    this.#learned = learned;
    this.#keep = keep;
  }

  /** The body in the form that this model accepts. */
  shape(body: RequestBody): RequestBody {
    this.#sent = [...this.#learned, ...this.#tried].reduce(
      (shaped, { apply }) => apply(shaped),
      body,
    );
    return this.#sent;
  }

  /** The model has answered, so the tried quirks are right. */
  accept(): void {
    // A value out of range is not a quirk: the next request may have another value.
    this.#keep(this.#tried.filter(({ isLasting }) => isLasting));
  }

  /**
   * Whether the request can be retried in another form. A quote of the question in the provider's message may look like
   * a reason, so a quirk is kept only when it has helped.
   */
  learn(error: unknown): boolean {
    if (this.#tried.length >= MAX_TRIED) return false;
    const report = readProviderError(error);
    if (report.status === null || !REFUSALS.has(classifyFailure(report))) return false;
    const known = new Set([...this.#learned, ...this.#tried].map(({ name }) => name));
    const quirk = quirkFor(report.body.slice(0, MAX_WORDS) || report.words, this.#sent, known);
    if (quirk === null) return false;
    this.#tried.push(quirk);
    return true;
  }
}
