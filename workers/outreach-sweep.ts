import { outreachSweep } from '#queues/outreach-sweep.ts';
import { sweepMessages } from '#src/email/sweep-messages.ts';
import { sweepLeads } from '#src/leads/scrapes/sweep-leads.ts';
import { defineWorker } from './worker.ts';

export const worker = defineWorker(outreachSweep, async (services, _payload, job) => ({
  scrapes: await sweepLeads(services, job.signal),
  messages: await sweepMessages(services, job.signal),
}));
