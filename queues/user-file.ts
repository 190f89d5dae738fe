import { z } from 'zod';
import type { UserFileId } from '#src/ids.ts';
import { defineQueue } from './queue.ts';

// The brand exists at compile time only: a UUID in this field is a user file's id.
const userFileId = z.uuid() as unknown as z.ZodType<UserFileId>;

/** Reads the text of a file that a user uploaded and splits it into passages that chats can search. */
export const userFile = defineQueue({
  name: 'user-file',
  payload: z.object({ userFileId }),
  key: ({ userFileId: id }) => id,
  attempts: 3,
  concurrency: 4,
  timeoutMs: 5 * 60_000,
});
