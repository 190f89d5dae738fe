import type { AlarmKind } from '#src/tables/operations.ts';

/** What the watch knows about a queue. */
export interface WatchedQueue {
  name: string;
  isPaused: boolean;
  /** Processes that serve it and are alive. */
  workers: number;
  /** When it was last known to be served; earlier, a missing worker cannot be established. */
  servedAt: Date;
  /** How long the oldest row has been due; null when nothing is. */
  oldestMs: number | null;
  /** The oldest at the end of each of the last minutes, latest last; 0 where nothing was due. */
  oldestByMinute: readonly number[];
  /** Attempts that finished in the last five minutes. */
  finishedLately: number;
}

/** An alarm that should be open. */
export interface Trouble {
  queue: string;
  kind: AlarmKind;
  since: Date;
  message: string;
}

/** A restart takes less, and needs no alarm. */
const UNSERVED_MS = 30_000;
const STUCK_MS = 5 * 60_000;
const GROWING_MINUTES = 5;
/** Younger work is on its way, even while it gets older. */
const NOTABLE_MS = 30_000;

/** The alarms that should be open. */
export function judgeQueues(queues: readonly WatchedQueue[], now: Date): Trouble[] {
  return queues.flatMap((queue) =>
    [unserved(queue, now), stuck(queue, now), fallingBehind(queue, now)].filter(
      (trouble) => trouble !== null,
    ),
  );
}

function unserved(queue: WatchedQueue, now: Date): Trouble | null {
  if (queue.workers > 0) return null;
  const { servedAt: since } = queue;
  if (now.getTime() - since.getTime() < UNSERVED_MS) return null;
  return {
    queue: queue.name,
    kind: 'no_worker',
    since,
    message: `No worker serves ${queue.name}. Start one: npm run workers -- ${queue.name}`,
  };
}

function stuck(queue: WatchedQueue, now: Date): Trouble | null {
  const { isPaused, workers, oldestMs, finishedLately } = queue;
  if (isPaused || workers === 0 || finishedLately > 0) return null;
  if (oldestMs === null || oldestMs < STUCK_MS) return null;
  return {
    queue: queue.name,
    kind: 'stuck',
    since: new Date(now.getTime() - oldestMs),
    message: `${queue.name} is stuck: its oldest has been due for ${minutes(oldestMs)}, and none of its ${workers} worker(s) has finished anything in five minutes.`,
  };
}

function fallingBehind(queue: WatchedQueue, now: Date): Trouble | null {
  const { isPaused, oldestMs, oldestByMinute } = queue;
  if (isPaused || oldestMs === null || oldestMs < NOTABLE_MS) return null;
  const recent = oldestByMinute.slice(-GROWING_MINUTES - 1);
  const grows = recent.every((ms, index) => index === 0 || ms > (recent[index - 1] ?? 0));
  if (recent.length <= GROWING_MINUTES || !grows) return null;
  return {
    queue: queue.name,
    kind: 'falling_behind',
    since: new Date(now.getTime() - GROWING_MINUTES * 60_000),
    message: `${queue.name} is falling behind: its oldest has been due for ${minutes(oldestMs)} and has grown for five minutes. More workers: npm run workers -- ${queue.name}`,
  };
}

/**
 * Whether an open alarm is over. One that came from growth stays until the oldest has not grown for two minutes, so
 * that a single good minute does not clear it.
 */
export function isOver(
  kind: AlarmKind,
  queue: WatchedQueue,
  troubles: readonly Trouble[],
): boolean {
  if (troubles.some((trouble) => trouble.queue === queue.name && trouble.kind === kind))
    return false;
  switch (kind) {
    case 'no_worker':
      return queue.workers > 0;
    case 'stuck':
      return true;
    case 'falling_behind': {
      const [before = 0, middle = 0, last = 0] = queue.oldestByMinute.slice(-3);
      return queue.oldestMs === null || queue.isPaused || (middle <= before && last <= middle);
    }
  }
}

function minutes(ms: number): string {
  return ms < 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} minutes`;
}
