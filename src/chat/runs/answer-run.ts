import type { AnswerSummary } from '#src/chat/wire/answer-summary.ts';
import type { StreamLine } from '#src/chat/wire/packets.ts';
import { AbortWatch } from '#src/platform/deadline.ts';
import type { Problem } from '#src/platform/errors.ts';
import { brokenOff, isLastLine } from './last-line.ts';

/** An answer in progress: its lines so far, and the generator of the next one. */
export type AnswerLines = AsyncGenerator<StreamLine, AnswerSummary>;

export interface AnswerRunOptions {
  /** The summary of an answer that is ended early. */
  abandoned: AnswerSummary;
  /** Aborts the answer because nobody has come back to it. */
  abandon: () => void;
  /**
   * Resolves when nobody has come back in time; rejects when the signal is aborted. Null ends an answer as soon as its
   * last reader leaves.
   */
  untilAbandoned: ((signal: AbortSignal) => Promise<void>) | null;
  /** What readers may be told about an error, or about an answer that ended early (null). */
  describeFailure: (error: unknown) => Problem;
}

/**
 * Lets any number of readers follow one answer, each from any line. The fastest reader draws the next line, so an
 * answer is written no faster than it is read. When the last reader leaves, the answer continues by itself for a while,
 * so that a reader who lost the connection can come back; then it ends.
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
   * The lines from `cursor` on, including future ones; at least the last one, which is a `stop` or an `error`.
   * @param signal aborted when the reader leaves
   * @throws the answer's error before its first line (later failures are lines); the signal's reason
   */
  async *follow(cursor: number, signal: AbortSignal): AnswerLines {
    this.#readers += 1;
    this.#absence?.abort();
    using watch = new AbortWatch(signal);
    try {
      for (let next = cursor; ; next += 1) {
        while (next >= this.lines.length && !this.isOver) await watch.waitFor(this.#draw());
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

  /** Readers that wait for the same line share one call. */
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

  /** The last reader has left. */
  async #leave(): Promise<void> {
    const { untilAbandoned } = this.#options;
    if (untilAbandoned === null) return this.#end();
    const absence = new AbortController();
    this.#absence = absence;
    // Nobody awaits it. A failure is a line; one that cannot be saved is left to the sweep.
    void this.#runUnread(untilAbandoned(absence.signal), absence);
  }

  /** Draws the lines while there is no reader, until one comes back, the answer ends, or its grace period does. */
  async #runUnread(abandoned: Promise<void>, absence: AbortController): Promise<void> {
    let isAbandoned = false;
    const time = abandoned.then(
      () => (isAbandoned = true),
      // If the rows cannot tell, assume that nobody follows.
      () => (isAbandoned = !absence.signal.aborted),
    );
    const isAlone = (): boolean => !this.isOver && !absence.signal.aborted;
    while (isAlone() && !isAbandoned) await Promise.race([this.#draw(), time]);
    if (isAlone()) await this.#end().catch(() => undefined);
    else absence.abort();
  }

  #end(): Promise<void> {
    this.#ending ??= this.#endOnce();
    return this.#ending;
  }

  async #endOnce(): Promise<void> {
    this.#options.abandon();
    // The abort ends the current line, if any; then the answer saves what it has.
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
    // Readers who come back too late are told that the answer was ended early.
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
