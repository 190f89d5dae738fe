import { createHash } from 'node:crypto';
import { detached } from '#src/platform/detached.ts';
import { Problem } from '#src/platform/errors.ts';

const LOOK_EVERY_MS = 2_000;
/** A look that takes long is taken more rarely, so that the looks of a topic take at most a twentieth of the time. */
const IDLE_SHARE = 20;
/**
 * But not more rarely than this. Beside a busy database a look takes long because it waits, and a page that then stood
 * still for minutes would show what is long over.
 */
const LONGEST_PAUSE_MS = 15_000;
const MAX_STREAMS = 1_000;
const MAX_STREAMS_PER_USER = 50;

/** The state of a topic: its JSON, and a short name that differs when the JSON does. */
export interface LiveState {
  readonly tag: string;
  readonly json: string;
}

/** Asks for the present state; `at` of the answer does not count as a change. */
export type LoadState = () => Promise<{ at: string } & Record<string, unknown>>;

interface Topic {
  readonly listeners: Set<() => void>;
  latest: LiveState | null;
}

/**
 * Asks once for all streams of this process that show the same, as long as there are any. A new stream gets the latest
 * state at once.
 */
export class LiveHub {
  readonly #topics = new Map<string, Topic>();
  readonly #streams = new Map<string, number>();
  readonly #stopping = new AbortController();
  readonly #everyMs: number;
  readonly #wait: (ms: number, signal: AbortSignal) => Promise<void>;
  #open = 0;

  constructor(
    wait: (ms: number, signal: AbortSignal) => Promise<void>,
    everyMs: number = LOOK_EVERY_MS,
  ) {
    this.#wait = wait;
    this.#everyMs = everyMs;
  }

  /** Aborted when this process stops: streams end, and their clients come back to another one. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Topics that are asked for at the moment. */
  get topics(): number {
    return this.#topics.size;
  }

  /** @throws Problem RATE_LIMIT_EXCEEDED when this process, or this user, has too many streams */
  enter(userId: string): Disposable {
    const own = this.#streams.get(userId) ?? 0;
    if (this.#open >= MAX_STREAMS || own >= MAX_STREAMS_PER_USER) {
      throw new Problem(
        'RATE_LIMIT_EXCEEDED',
        `Too many live streams are open (${MAX_STREAMS_PER_USER} for a user, ${MAX_STREAMS} in all). Close some pages.`,
        { retryAfterSeconds: 30 },
      );
    }
    this.#open += 1;
    this.#streams.set(userId, own + 1);
    return {
      [Symbol.dispose]: () => {
        this.#open -= 1;
        const left = (this.#streams.get(userId) ?? 1) - 1;
        if (left === 0) this.#streams.delete(userId);
        else this.#streams.set(userId, left);
      },
    };
  }

  /** Follows a topic until it is disposed. `changed` is called whenever `latest` has another state. */
  follow(
    key: string,
    load: LoadState,
    changed: () => void,
  ): Disposable & { latest(): LiveState | null } {
    let topic = this.#topics.get(key);
    if (!topic) {
      topic = { listeners: new Set(), latest: null };
      this.#topics.set(key, topic);
      const opened = topic;
      void detached(() => this.#keepLooking(key, opened, load));
    }
    const followed = topic;
    followed.listeners.add(changed);
    return {
      latest: () => followed.latest,
      [Symbol.dispose]: () => {
        followed.listeners.delete(changed);
        if (followed.listeners.size === 0 && this.#topics.get(key) === followed) {
          this.#topics.delete(key);
        }
      },
    };
  }

  async #keepLooking(key: string, topic: Topic, load: LoadState): Promise<void> {
    while (this.#topics.get(key) === topic && !this.#stopping.signal.aborted) {
      const startedAt = performance.now();
      // While the database is away, pages keep what they have and say how old it is.
      const state = await load().then(stateOf, () => null);
      if (state !== null && state.tag !== topic.latest?.tag) {
        topic.latest = state;
        for (const listener of topic.listeners) listener();
      }
      const tookMs = performance.now() - startedAt;
      const pauseMs = Math.max(this.#everyMs, Math.min(tookMs * IDLE_SHARE, LONGEST_PAUSE_MS));
      await this.#wait(pauseMs, this.#stopping.signal).catch(() => undefined);
    }
  }
}

function stateOf({ at, ...rest }: Awaited<ReturnType<LoadState>>): LiveState {
  const text = JSON.stringify(rest);
  const tag = createHash('sha256').update(text).digest('base64url').slice(0, 8);
  return { tag, json: JSON.stringify({ at, ...rest }) };
}
