import { z } from 'zod';
import type { FailedRow } from '#src/platform/work-figures.ts';

const timestamp = z.iso.datetime();

export const failureSchema = z.object({
  id: z.string(),
  workspace_id: z.string().nullable(),
  message: z.string(),
  attempts: z.int(),
  at: timestamp,
  subject: z.object({ kind: z.string(), id: z.string() }),
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

export function presentFailure(
  row: Omit<FailedRow, 'workspace_id'> & { workspace_id: string | null },
  kind: string,
): z.input<typeof failureSchema> {
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    message: row.message.slice(0, MAX_MESSAGE),
    attempts: row.attempts,
    at: row.failed_at.toISOString(),
    subject: { kind, id: row.id },
  };
}
