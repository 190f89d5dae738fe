import { quantilesOf } from './histogram.ts';
import type { OperationsServices } from './operations-services.ts';
import { type Range, RANGES, stepsOf } from './range.ts';
import { type HistoryPoint, readDepths, readHours, readMinutes } from './read-history.ts';

/** What a queue did in one step of a range. */
export interface QueuePoint {
  at: Date;
  finished: number;
  failed: number;
  retried: number;
  waitMs: { p50: number; p95: number } | null;
  runMs: { p50: number; p95: number } | null;
  /** The greatest age in the step; null when nothing was due. */
  oldestMs: number | null;
}

/** A point for each step of the range, oldest first. */
export async function queueHistory(
  { clock, db }: Pick<OperationsServices, 'clock' | 'db'>,
  queue: string,
  range: Range,
): Promise<{ stepSeconds: number; points: QueuePoint[] }> {
  const now = clock();
  const { stepMs } = RANGES[range];
  const steps = stepsOf(range, now);
  const from = steps[0] ?? now;
  const stretch = { queue, from, to: now, stepSeconds: stepMs / 1_000 };
  const { points, ages } =
    range === 'month'
      ? await fromHours(db, stretch)
      : { points: await readMinutes(db, stretch), ages: await readDepths(db, stretch) };
  const byTime = new Map(points.map((point) => [point.at.getTime(), point]));
  const ageAt = new Map(ages.map(({ at, oldestMs }) => [at.getTime(), oldestMs]));
  return {
    stepSeconds: stretch.stepSeconds,
    points: steps.map((at) =>
      pointOf(at, byTime.get(at.getTime()) ?? null, ageAt.get(at.getTime()) ?? null),
    ),
  };
}

async function fromHours(
  db: OperationsServices['db'],
  stretch: { queue: string; from: Date; to: Date },
): Promise<{ points: HistoryPoint[]; ages: { at: Date; oldestMs: number }[] }> {
  const points = await readHours(db, stretch);
  return {
    points,
    ages: points
      .filter(({ oldestMs }) => oldestMs > 0)
      .map(({ at, oldestMs }) => ({ at, oldestMs })),
  };
}

function pointOf(at: Date, point: HistoryPoint | null, oldestMs: number | null): QueuePoint {
  return {
    at,
    finished: point?.finished ?? 0,
    failed: point?.failed ?? 0,
    retried: point?.retried ?? 0,
    waitMs: quantilesOf(point?.waits ?? []),
    runMs: quantilesOf(point?.runs ?? []),
    oldestMs,
  };
}
