import type { AnswerSummary } from '#src/chat/wire/answer-summary.ts';
import type { StreamLine } from '#src/chat/wire/packets.ts';
import { untilAborted } from '#src/platform/deadline.ts';
import type { Problem } from '#src/platform/errors.ts';
import { brokenOff, isLastLine } from './last-line.ts';

/** An answer that is being written: its lines so far, and the generator that makes the next one. */
export type AnswerLines = AsyncGenerator<StreamLine, AnswerSummary>;

export interface AnswerRunOptions {
  /** What the answer comes to when it is ended early. */
  abandoned: AnswerSummary;
  /** Aborts what the answer waits for: nobody has come back to it. */
  abandon: () => void;
  /**
   * Resolves when nobody has come back within the time for that; rejects when the signal is aborted. Null ends an answer
   * as soon as its last reader leaves.
   */
  untilForgotten: ((signal: AbortSignal) => Promise<void>) | null;
  /** What readers may be told of an error, or of an answer that ended early (null). */
  describeFailure: (error: unknown) => Problem;
}

/**
 * Lets any number of readers follow one answer, each from the line it wants. The fastest reader draws the next line, so
 * an answer is written no faster than it is read. When the last reader leaves, it goes on by itself for a while, so that
 * a reader who lost the connection can come back; then it ends.
 */
export class AnswerRun {
  readonly lines: StreamLine[] = [];
  readonly #source: AnswerLines;
  readonly #options: AnswerRunOptions;
  #readers = 0;
  /** Aborted when a reader comes back. */
  #absence: AbortController | null = null;
  #pull: Promise<void> | null = null;
  #ending: Promise<void> | null = null;
  #summary: AnswerSummary | null = null;
  #failure: { error: unknown } | null = null;
  readonly #over = Promise.withResolvers<void>();

  constructor(source: AnswerLines, options: AnswerRunOptions) {
    this.#source = source;
    this.#options = options;
  }

  get isOver(): boolean {
    return this.#summary !== null || this.#failure !== null;
  }

  /** Resolves when the answer is complete, or has failed, and is saved. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /**
   * The lines from `cursor` on, and those to come; at least the last one, which is a `stop` or an `error`.
   * @param signal the reader is gone
   * @throws what the answer threw before its first line (later failures are lines); the signal's reason
   */
  async *follow(cursor: number, signal: AbortSignal): AnswerLines {
    this.#readers += 1;
    this.#absence?.abort();
    try {
      for (let next = cursor; ; next += 1) {
        while (next >= this.lines.length && !this.isOver) await untilAborted(this.#draw(), signal);
        const line = this.lines[next];
        if (line === undefined) break;
        yield line;
      }
      const last = this.lines.at(-1);
      if (last === undefined && this.#failure) throw this.#failure.error;
      if (last !== undefined && cursor >= this.lines.length) yield last;
      return this.#summary ?? this.#options.abandoned;
    } finally {
      this.#readers -= 1;
      if (this.#readers === 0 && !this.isOver) await this.#leave();
    }
  }

  /** Readers who wait for the same line share one look. */
  async #draw(): Promise<void> {
    if (this.#ending) return this.#ending;
    this.#pull ??= this.#drawOnce().finally(() => (this.#pull = null));
    await this.#pull;
  }

  async #drawOnce(): Promise<void> {
    try {
      const step = await this.#source.next();
      if (step.done === true) this.#close(step.value);
      else this.lines.push(step.value);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The last reader is gone. */
  async #leave(): Promise<void> {
    const { untilForgotten } = this.#options;
    if (untilForgotten === null) return this.#end();
    const absence = new AbortController();
    this.#absence = absence;
    // Nobody waits for it. A failure is a line; one that cannot be saved is left to the sweep.
    void this.#runUnread(untilForgotten(absence.signal), absence);
  }

  /** Draws the lines that nobody reads, until somebody does, the answer is over, or it is forgotten. */
  async #runUnread(forgotten: Promise<void>, absence: AbortController): Promise<void> {
    let isForgotten = false;
    const time = forgotten.then(
      () => (isForgotten = true),
      // When the rows cannot tell, nobody is known to follow.
      () => (isForgotten = !absence.signal.aborted),
    );
    const isAlone = (): boolean => !this.isOver && !absence.signal.aborted;
    while (isAlone() && !isForgotten) await Promise.race([this.#draw(), time]);
    if (isAlone()) await this.#end().catch(() => undefined);
    else absence.abort();
  }

  #end(): Promise<void> {
    this.#ending ??= this.#endOnce();
    return this.#ending;
  }

  async #endOnce(): Promise<void> {
    this.#options.abandon();
    // The line under way, if any, ends by the abort; then the answer saves what there is.
    await this.#pull;
    if (this.isOver) return;
    try {
      await this.#source.return(this.#options.abandoned);
      this.#close(this.#options.abandoned);
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  #close(summary: AnswerSummary): void {
    // An answer that was ended early says so to those who come back too late.
    if (!isLastLine(this.lines.at(-1))) this.#breakOff(null);
    this.#summary = summary;
    this.#over.resolve();
  }

  #fail(error: unknown): void {
    if (this.lines.length > 0 && !isLastLine(this.lines.at(-1)))
      this.#breakOff(this.#ending ? null : error);
    this.#failure = { error };
    this.#over.resolve();
  }

  #breakOff(error: unknown): void {
    this.lines.push(brokenOff(this.lines.at(-1), this.#options.describeFailure(error)));
  }
}
