import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { PlatformServices } from '#src/platform/platform-services.ts';
import { type Award, awardPoints, type AwardServices } from './award-points.ts';

/** Low, so that awards do not take database connections away from requests. */
const CONCURRENCY = 2;
/** The queue grows longer only when the database is far behind; then awards are dropped to save memory. */
const MAX_WAITING = 1_000;
/** After a cap was found to be reached, further awards of that action are skipped for this long. */
const CAP_KNOWN_MS = 60_000;
const MAX_CAPS_KNOWN = 10_000;
const IDLE_MS = 3_000;

/** Awards points for actions in the service itself, after the user has the response. */
export interface PointsAwarder {
  /** Returns immediately and never throws: a failed award is only logged. */
  readonly submit: (award: Omit<Award, 'source' | 'doneAt'>) => void;
  /** Resolves when every submitted award is settled, or after a few seconds. */
  readonly idle: () => Promise<void>;
}

/**
 * @param give makes a single award
 * @param idleMs maximum wait of `idle`
 */
export function createPointsAwarder(
  services: AwardServices & Pick<PlatformServices, 'log'>,
  give: typeof awardPoints = awardPoints,
  idleMs: number = IDLE_MS,
): PointsAwarder {
  const { clock, log } = services;
  const waiting: Award[] = [];
  const running = new Set<Promise<void>>();
  let workers = 0;
  let isOverfull = false;
  const cappedUntilMs = new Map<string, number>();

  async function work(): Promise<void> {
    await nextTurn(); // let the response go out first
    for (let award = waiting.shift(); award; award = waiting.shift()) await settle(award);
    workers -= 1; // in the same turn that found the queue empty
    isOverfull = false;
  }

  async function settle(award: Award): Promise<void> {
    try {
      const { isRecorded } = await give(services, award);
      if (isRecorded) return;
      if (cappedUntilMs.size >= MAX_CAPS_KNOWN) cappedUntilMs.clear();
      cappedUntilMs.set(capKey(award), clock().getTime() + CAP_KNOWN_MS);
    } catch (error) {
      log.warn({ error: String(error), userId: award.userId, action: award.action }, NOT_AWARDED);
    }
  }

  return {
    submit(submitted) {
      const award: Award = { ...submitted, source: 'service', doneAt: clock() };
      if ((cappedUntilMs.get(capKey(award)) ?? 0) > clock().getTime()) return;
      if (waiting.length >= MAX_WAITING) {
        if (!isOverfull) log.warn({ waiting: waiting.length }, NOT_AWARDED);
        isOverfull = true;
        return;
      }
      waiting.push(award);
      if (workers >= CONCURRENCY) return;
      workers += 1;
      const worker = work().finally(() => running.delete(worker));
      running.add(worker);
    },
    async idle() {
      const deadline = new AbortController();
      const drained = (async () => {
        while (running.size > 0) await Promise.all(running);
      })();
      const expired = sleep(idleMs, null, { signal: deadline.signal }).catch(() => null);
      await Promise.race([drained, expired]);
      deadline.abort();
      const lost = waiting.splice(0).length;
      if (lost > 0) log.warn({ lost }, NOT_AWARDED);
    },
  };
}

const NOT_AWARDED = 'points for an action were not awarded';

function capKey({ userId, action }: Award): string {
  return `${userId} ${action}`;
}
