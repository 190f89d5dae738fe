import { z } from 'zod';
import { EMAIL_MESSAGE_STATUSES } from '#src/tables/email.ts';

const MAX_PAGE = 200;
const PAGE = 50;
/** Microseconds since 1970, the database's resolution, and the id of the last message shown. */
const CURSOR = /^(\d{1,16}):([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/;

/** Where the next page of messages begins. */
interface MessagePosition {
  createdAtMicros: string;
  id: string;
}

const messageCursor = z.string().transform((text, context): MessagePosition => {
  const [, createdAtMicros, id] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (createdAtMicros !== undefined && id !== undefined) return { createdAtMicros, id };
  context.addIssue('must be the next_cursor of an earlier page');
  return z.NEVER;
});

export const messagesQuerySchema = z.strictObject({
  email_account_id: z.uuid('must be the id of an email account').optional(),
  status: z.enum(EMAIL_MESSAGE_STATUSES).optional(),
  kind: z.enum(['message', 'verification']).optional(),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(PAGE),
  cursor: messageCursor.optional(),
});
export type MessagesQuery = z.output<typeof messagesQuerySchema>;

export function encodeMessageCursor({ createdAtMicros, id }: MessagePosition): string {
  return Buffer.from(`${createdAtMicros}:${id}`).toString('base64url');
}
