import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export type LiveState = 'off' | 'on' | 'lost' | 'paused';

/** How the page's event stream stands. */
export const liveState = signal<LiveState>('off');

type Take = (data: unknown) => void;

const FALLBACK_MS = 10_000;
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000];

/**
 * The page's one stream: `take` gets what the service sends of each topic. It pauses while the tab is hidden, and comes
 * back after a drop; the first events then say what has changed. While there is none, `look` reads again instead; it
 * also does once when what a topic is about is gone, so that the page says so.
 */
export function useLive(topics: Readonly<Record<string, Take>>, look: () => unknown): void {
  const names = Object.keys(topics).toSorted().join(',');
  // What takes an event may depend on the filters of the page, which change while the stream stays.
  const latest = useRef({ topics, look });
  latest.current = { topics, look };
  const isFollowing = names !== '';
  const isLost = isFollowing && liveState.value === 'lost';
  useEffect(() => {
    if (!isLost) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void latest.current.look();
    }, FALLBACK_MS);
    return () => clearInterval(timer);
  }, [isLost]);
  // It stays as it is while another stream is opened for other topics.
  useEffect(
    () => () => {
      liveState.value = 'off';
    },
    [isFollowing],
  );
  useEffect(() => {
    if (!isFollowing) return undefined;
    return openStream(names, (topic, data) => {
      if (isGone(data)) void latest.current.look();
      else latest.current.topics[topic]?.(data);
    });
  }, [names]);
}

function isGone(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'gone' in data;
}

function openStream(names: string, take: (topic: string, data: unknown) => void): () => void {
  let source: EventSource | null = null;
  let timer = 0;
  let failures = 0;
  const close = (): void => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const open = (): void => {
    close();
    const stream = new EventSource(`/live?topics=${encodeURIComponent(names)}`);
    source = stream;
    stream.addEventListener('open', () => {
      failures = 0;
      liveState.value = 'on';
    });
    stream.addEventListener('error', () => {
      liveState.value = 'lost';
      // The browser comes back by itself after a drop, with the last event's id; after a refusal it gives up.
      if (stream.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]);
      failures += 1;
    });
    for (const topic of names.split(',')) {
      stream.addEventListener(topic, (event: MessageEvent<string>) => {
        take(topic, JSON.parse(event.data));
      });
    }
  };
  const followTab = (): void => {
    if (document.visibilityState === 'visible') {
      if (source === null) open();
      return;
    }
    close();
    liveState.value = 'paused';
  };
  followTab();
  document.addEventListener('visibilitychange', followTab);
  return () => {
    document.removeEventListener('visibilitychange', followTab);
    close();
  };
}
