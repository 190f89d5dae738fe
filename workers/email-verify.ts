import { emailVerify } from '#queues/email-verify.ts';
import { deliverMessage } from '#src/email/deliver-message.ts';
import { defineWorker } from './worker.ts';

export const worker = defineWorker(emailVerify, async (services, { verificationId }, job) => ({
  ...(await deliverMessage(services, verificationId, job.signal)),
}));
