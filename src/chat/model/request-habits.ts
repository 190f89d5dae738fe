import { classifyFailure } from './classify-failure.ts';
import { type Habit, habitFor, type RequestBody } from './habits.ts';
import { readProviderError } from './read-provider-error.ts';

/** Each changes the request, so they cannot go on for ever; no provider refuses more than this. */
const MAX_TRIED = 6;
/** Refusals of a request as it stands. Some servers say 404 or 500 where others say 400. */
const REFUSALS: ReadonlySet<string> = new Set([
  'BAD_REQUEST',
  'UNPROCESSABLE_ENTITY',
  'NOT_FOUND',
  'API_ERROR',
]);
/** Of what a provider says; its reason comes first. */
const MAX_WORDS = 4_000;

/**
 * How one model wants its requests. What it has refused once is left out, or put otherwise, from then on: a refusal
 * costs one request in the life of a process, and not one each time.
 */
export class RequestHabits {
  #learned: readonly Habit[] = [];
  /** It thinks within the bound on the length of an answer, and a short bound leaves it no words. */
  thinksAtLength = false;

  /** A request, as often as it takes. */
  begin(): RequestTry {
    return new RequestTry(this.#learned, (habits) => {
      const names = new Set(this.#learned.map(({ name }) => name));
      this.#learned = [...this.#learned, ...habits.filter(({ name }) => !names.has(name))];
    });
  }
}

/** One request, with what has been learned before it and what is being tried. */
export class RequestTry {
  readonly #learned: readonly Habit[];
  readonly #keep: (habits: readonly Habit[]) => void;
  readonly #tried: Habit[] = [];
  #sent: RequestBody = {};

  constructor(learned: readonly Habit[], keep: (habits: readonly Habit[]) => void) {
    this.#learned = learned;
    this.#keep = keep;
  }

  /** The body as this model wants it. */
  shape(body: RequestBody): RequestBody {
    this.#sent = [...this.#learned, ...this.#tried].reduce(
      (shaped, { apply }) => apply(shaped),
      body,
    );
    return this.#sent;
  }

  /** The model has answered: what was tried is right. */
  accept(): void {
    // A value out of its range is no habit: the next request may have another one.
    this.#keep(this.#tried.filter(({ isLasting }) => isLasting));
  }

  /**
   * Whether the same request may be sent again, put otherwise. What a provider repeats of the question may look like a
   * reason: so a habit is kept only when it has helped.
   */
  learn(error: unknown): boolean {
    if (this.#tried.length >= MAX_TRIED) return false;
    const report = readProviderError(error);
    if (report.status === null || !REFUSALS.has(classifyFailure(report))) return false;
    const known = new Set([...this.#learned, ...this.#tried].map(({ name }) => name));
    const habit = habitFor(report.body.slice(0, MAX_WORDS) || report.words, this.#sent, known);
    if (habit === null) return false;
    this.#tried.push(habit);
    return true;
  }
}
