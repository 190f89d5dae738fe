import { z } from 'zod';
import { messageOf } from './message-of.ts';

const databaseError = z.object({
  message: z.string(),
  detail: z.string().nullish(),
  hint: z.string().nullish(),
  code: z.string().nullish(),
});

/** The failure as Postgres or the driver describes it: message, detail, hint and SQLSTATE, without a full stop. */
export function describeDatabaseError(error: unknown): string {
  const parsed = databaseError.safeParse(error);
  if (!parsed.success || parsed.data.message === '') return messageOf(error);
  const { message, detail, hint, code } = parsed.data;
  const words = [message, detail ?? '', hint ?? ''].filter(Boolean);
  return `${words.map((part) => part.replace(/\.$/, '')).join('; ')}${code ? ` (${code})` : ''}`;
}
