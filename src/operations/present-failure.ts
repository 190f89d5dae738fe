import { z } from 'zod';
import type { Database } from '#src/platform/database.ts';
import type { FailedRow } from '#src/platform/work-figures.ts';
import { isFailingQueue, kindOfFailure } from './failures.ts';
import { resolveSubjects, type ShownSubject, subjectSchema } from './resolve-subjects.ts';

const timestamp = z.iso.datetime();

export const failureSchema = z.object({
  id: z.string(),
  workspace_id: z.string().nullable(),
  message: z.string(),
  attempts: z.int(),
  at: timestamp,
  stack: z.string().nullable().describe('Only for failed jobs without a row.'),
  subject: subjectSchema,
});

export const failureGroupSchema = z.object({
  group: z.string().describe('Names the group for a retry.'),
  message: z.string().describe('Ids, numbers, addresses and quoted names are replaced by ….'),
  count: z.int(),
  first_at: timestamp,
  last_at: timestamp,
  example: failureSchema,
});

/** Messages come from sources, servers and libraries. */
const MAX_MESSAGE = 2_000;

interface ShownFailure extends Omit<FailedRow, 'workspace_id'> {
  workspace_id: string | null;
  stack?: string | null;
}

function presentFailure(row: ShownFailure, subject: ShownSubject): z.input<typeof failureSchema> {
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    message: row.message.slice(0, MAX_MESSAGE),
    attempts: row.attempts,
    at: row.failed_at.toISOString(),
    stack: row.stack ?? null,
    subject,
  };
}

/** Presents failures of a queue, each with the page that shows it. */
export async function presentFailures(
  db: Database,
  queue: string,
  rows: readonly ShownFailure[],
): Promise<z.input<typeof failureSchema>[]> {
  if (!isFailingQueue(queue)) {
    return rows.map((row) =>
      presentFailure(row, {
        kind: 'job',
        id: row.id,
        workspace_id: null,
        page: { kind: 'job', id: `${queue}/${row.id}` },
      }),
    );
  }
  const kind = kindOfFailure(queue);
  const resolve = await resolveSubjects(
    db,
    rows.map(({ id }) => ({ kind, id })),
  );
  return rows.map((row) => presentFailure(row, resolve({ kind, id: row.id })));
}
