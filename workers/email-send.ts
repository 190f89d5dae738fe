import { emailSend } from '#queues/email-send.ts';
import { deliverMessage } from '#src/email/deliver-message.ts';
import { defineWorker } from './worker.ts';

export const worker = defineWorker(emailSend, async (services, { messageId }, job) => ({
  ...(await deliverMessage(services, messageId, job.signal)),
}));
