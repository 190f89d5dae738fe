import { z } from 'zod';
import type { EmailMessageId } from '#src/ids.ts';
import { defineQueue } from './queue.ts';

// The brand exists at compile time only: a UUID in this field is a message's id.
const messageId = z.uuid() as unknown as z.ZodType<EmailMessageId>;

/** Sends a message, unless it was sent or may have been. */
export const emailSend = defineQueue({
  name: 'email-send',
  payload: z.object({ messageId }),
  key: ({ messageId: id }) => id,
  attempts: 3,
  concurrency: 20,
  // 5 s of waiting for a turn, 25 s of SMTP.
  timeoutMs: 35_000,
});
