import { z } from 'zod';
import type { EmailMessageId } from '#src/ids.ts';
import { defineQueue } from './queue.ts';

// The brand exists at compile time only: a UUID in this field is a message's id.
const verificationId = z.uuid() as unknown as z.ZodType<EmailMessageId>;

/** Sends the test message of a verification, unless it was sent or may have been. */
export const emailVerify = defineQueue({
  name: 'email-verify',
  payload: z.object({ verificationId }),
  key: ({ verificationId: id }) => id,
  attempts: 3,
  concurrency: 20,
  timeoutMs: 30_000,
});
