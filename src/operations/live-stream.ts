import type { LiveHub, LoadState } from './live-hub.ts';

const BEAT_MS = 15_000;
const LONGEST_MS = 15 * 60_000;

/** A topic of a stream: its name on the wire, and what the hub shares it by. */
export interface StreamTopic {
  name: string;
  key: string;
  load: LoadState;
}

/** The reader of a stream. */
export interface StreamReader {
  userId: string;
  /** What the hub shares the question by whether they still may read: the key or the session. */
  credential: string;
  /** Whether they still are who they were when the stream began, in the same role. */
  isStill(): Promise<boolean>;
}

/**
 * The states of topics as server-sent events, each when it has changed. The id of an event names the states of all
 * topics, so a client that comes back to any process gets those that have changed since.
 * The stream ends within seconds of its reader's key or session, or of a change of their role.
 * @param seen the `Last-Event-ID` of the client; null for a new one
 * @throws Problem RATE_LIMIT_EXCEEDED before the first event
 */
export async function* streamLive(
  hub: LiveHub,
  topics: readonly StreamTopic[],
  { reader, seen, signal }: { reader: StreamReader; seen: string | null; signal: AbortSignal },
): AsyncGenerator<string> {
  using opened = new DisposableStack();
  opened.use(hub.enter(reader.userId));
  const told = readSeen(seen);
  let wake = Promise.withResolvers<void>();
  const states = topics.map(({ name, key, load }) => ({
    name,
    followed: opened.use(hub.follow(key, load, () => wake.resolve())),
  }));
  const standing = opened.use(hub.follow(...standingOf(reader), () => wake.resolve()));
  const ended = AbortSignal.any([signal, hub.stopping]);
  const onEnd = (): void => wake.resolve();
  ended.addEventListener('abort', onEnd, { once: true });
  const endsAt = performance.now() + LONGEST_MS;
  // Tells the client that the stream stands, before the first state is known.
  yield ': live\n\n';
  while (!ended.aborted && performance.now() < endsAt && standing.latest()?.json !== GONE) {
    for (const { name, followed } of states) {
      const state = followed.latest();
      if (state === null || told.get(name) === state.tag) continue;
      told.set(name, state.tag);
      const id = states.flatMap((one) => {
        const tag = told.get(one.name);
        return tag === undefined ? [] : [`${one.name}=${tag}`];
      });
      yield `event: ${name}\nid: ${id.join(',')}\ndata: ${state.json}\n\n`;
    }
    const beat = setTimeout(() => wake.resolve(), BEAT_MS);
    const wokenAt = performance.now();
    await wake.promise;
    clearTimeout(beat);
    wake = Promise.withResolvers<void>();
    if (performance.now() - wokenAt >= BEAT_MS - 100) yield ': beat\n\n';
  }
  ended.removeEventListener('abort', onEnd);
}

const GONE = JSON.stringify({ at: '', is_still: false });

/** A topic of its own, so that all streams of one session ask once. */
function standingOf(reader: StreamReader): [key: string, load: LoadState] {
  const load = async () => ({ at: '', is_still: await reader.isStill() });
  return [`reader ${reader.credential}`, load];
}

/** What a client has seen; anything unreadable is nothing. */
function readSeen(seen: string | null): Map<string, string> {
  const pairs = (seen ?? '')
    .slice(0, 2_000)
    .split(',')
    .map((pair) => pair.split('='))
    .filter((pair) => pair.length === 2);
  return new Map(pairs.map(([name = '', tag = '']) => [name, tag]));
}
