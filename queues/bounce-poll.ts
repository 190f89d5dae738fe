import { z } from 'zod';
import type { BounceMailboxId } from '#src/ids.ts';
import { defineQueue } from './queue.ts';

// The brand exists at compile time only: a UUID in this field is a bounce mailbox's id.
const bounceMailboxId = z.uuid() as unknown as z.ZodType<BounceMailboxId>;

/** Reads the new messages of a bounce mailbox, if a poll is due. */
export const bouncePoll = defineQueue({
  name: 'bounce-poll',
  payload: z.object({ bounceMailboxId }),
  key: ({ bounceMailboxId: id }) => id,
  attempts: 3,
  concurrency: 4,
  timeoutMs: 120_000,
});
