import { sql } from 'kysely';
import type { AnyQueue } from '#queues/queue.ts';
import type { FailedRow } from '#src/platform/work-figures.ts';
import { errorGroup } from './error-group.ts';
import type { FailureGroup, FailureSummary } from './failures.ts';
import type { OperationsServices } from './operations-services.ts';

/** The store keeps failed jobs for a week, at most 5,000; the latest of them say what is wrong. */
const MAX_READ = 1_000;

/** A failed job, where no row says what failed. */
export type FailedJobRow = Omit<FailedRow, 'workspace_id'> & {
  workspace_id: null;
  stack: string | null;
};

/** The failed jobs of a queue since then, latest first, each with the text that its group shares. */
export async function listFailedJobs(
  { db, producer }: Pick<OperationsServices, 'db' | 'producer'>,
  queue: AnyQueue,
  since: Date,
  limit: number = MAX_READ,
): Promise<(FailedJobRow & { shown: string; group: string })[]> {
  const jobs = (await producer.failedJobs(queue, limit)).filter((job) => job.failedAt >= since);
  if (jobs.length === 0) return [];
  const texts = jobs.map(({ message }) => message);
  const { rows } = await sql<{ shown: string; group: string }>`
    select shown, md5(shown) as group from (
      select ${errorGroup(sql<string>`message`)} as shown, index
      from unnest(${texts}::text[]) with ordinality as m(message, index)) texts
    order by index`.execute(db);
  return jobs.map((job, index) => ({
    id: job.id,
    workspace_id: null,
    message: job.message,
    attempts: job.attempts,
    failed_at: job.failedAt,
    stack: job.stack,
    shown: rows[index]?.shown ?? '',
    group: rows[index]?.group ?? '',
  }));
}

/** The number of failed jobs; counts at most the latest 1,000. */
export async function countFailedJobs(
  { producer }: Pick<OperationsServices, 'producer'>,
  queue: AnyQueue,
  since: Date,
): Promise<number> {
  const jobs = await producer.failedJobs(queue, MAX_READ);
  return jobs.filter(({ failedAt }) => failedAt >= since).length;
}

/** The same in groups, the largest first. */
export function groupFailedJobs(
  jobs: readonly (FailedJobRow & { shown: string; group: string })[],
): (Omit<FailureGroup, 'example'> & { example: FailedJobRow })[] {
  const groups = [...Map.groupBy(jobs, ({ group }) => group)].flatMap(([group, members]) => {
    const [latest] = members;
    const first = members.at(-1);
    if (!latest || !first) return [];
    return [
      {
        group,
        message: latest.shown,
        count: members.length,
        first_at: first.failed_at,
        last_at: latest.failed_at,
        example: latest,
      },
    ];
  });
  return groups.toSorted((a, b) => b.count - a.count);
}

/** Summarizes failed jobs; null when the store no longer has them. */
export function summarizeFailedJobs(
  jobs: readonly (FailedJobRow & { shown: string; group: string })[],
): FailureSummary | null {
  const groups = groupFailedJobs(jobs);
  const [largest] = groups;
  const first = jobs.at(-1);
  if (!largest || !first) return null;
  return { firstAt: first.failed_at, message: largest.message, isAll: groups.length === 1 };
}
