import type { AnswerSummary } from '#src/chat/answer.ts';
import type { StreamLine } from '#src/chat/packets.ts';
import { untilAborted } from '#src/platform/deadline.ts';

/** An answer that is being written: its lines so far, and the generator that makes the next one. */
export type AnswerLines = AsyncGenerator<StreamLine, AnswerSummary>;

/**
 * Lets any number of readers follow one answer, each from the line it wants. The fastest reader draws the next line, so
 * an answer is written no faster than it is read; when the last reader leaves, it ends.
 */
export class AnswerRun {
  readonly lines: StreamLine[] = [];
  readonly #source: AnswerLines;
  readonly #abandoned: AnswerSummary;
  readonly #abandon: () => void;
  #readers = 0;
  #pull: Promise<void> | null = null;
  #summary: AnswerSummary | null = null;
  #failure: { error: unknown } | null = null;
  readonly #over = Promise.withResolvers<void>();

  /**
   * @param abandoned what the answer comes to when it is ended early
   * @param abandon aborts what the answer waits for
   */
  constructor(source: AnswerLines, abandoned: AnswerSummary, abandon: () => void) {
    this.#source = source;
    this.#abandoned = abandoned;
    this.#abandon = abandon;
  }

  get isOver(): boolean {
    return this.#summary !== null || this.#failure !== null;
  }

  /** Resolves when the answer is complete, or has failed, and is saved. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /**
   * The lines from `cursor` on, and those to come.
   * @param signal the reader is gone
   * @throws what the answer threw before its first line (later failures are lines); the signal's reason
   */
  async *follow(cursor: number, signal: AbortSignal): AnswerLines {
    this.#readers += 1;
    try {
      for (let next = cursor; ; next += 1) {
        while (next >= this.lines.length && !this.isOver) await untilAborted(this.#draw(), signal);
        const line = this.lines[next];
        if (line === undefined) break;
        yield line;
      }
      if (this.#failure) throw this.#failure.error;
      if (!this.#summary) throw new Error('The answer ended without its summary.');
      return this.#summary;
    } finally {
      this.#readers -= 1;
      if (this.#readers === 0 && !this.isOver) await this.#end();
    }
  }

  /** Readers who wait for the same line share one look. */
  async #draw(): Promise<void> {
    this.#pull ??= this.#drawOnce().finally(() => (this.#pull = null));
    await this.#pull;
  }

  async #drawOnce(): Promise<void> {
    try {
      const step = await this.#source.next();
      if (step.done === true) this.#summary = step.value;
      else this.lines.push(step.value);
    } catch (error) {
      this.#failure = { error };
    }
    if (this.isOver) this.#over.resolve();
  }

  async #end(): Promise<void> {
    this.#abandon();
    // The line under way, if any, ends by the abort; then the answer saves what there is.
    await this.#pull;
    if (this.isOver) return;
    try {
      const step = await this.#source.return(this.#abandoned);
      if (step.done === true) this.#summary = step.value;
    } catch (error) {
      this.#failure = { error };
      throw error;
    } finally {
      this.#over.resolve();
    }
  }
}
