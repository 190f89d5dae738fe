import type { EmailMessageId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';

/** Sends a message whose turn has come. */
export function deliverMessage(
  _services: Services,
  messageId: EmailMessageId,
  _signal: AbortSignal,
): Promise<{ messageId: EmailMessageId; end: string }> {
  return Promise.resolve({ messageId, end: 'not written yet' });
}
