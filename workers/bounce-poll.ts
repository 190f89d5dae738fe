import { bouncePoll } from '#queues/bounce-poll.ts';
import { pollMailbox } from '#src/email/bounces/poll-mailbox.ts';
import { defineWorker } from './worker.ts';

export const worker = defineWorker(bouncePoll, async (services, { bounceMailboxId }, job) => ({
  ...(await pollMailbox(services, bounceMailboxId, job.signal)),
}));
