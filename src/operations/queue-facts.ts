/** What operators read about a queue. */
export interface QueueFact {
  does: string;
  /** Whether waiting, active and failed are counted in rows or in the queue store. */
  countsFrom: 'rows' | 'jobs';
}

/** Every queue of queues/index.ts; a test compares the two. */
export const QUEUE_FACTS: Readonly<Record<string, QueueFact>> = {
  'document-index': { does: 'Chunks, embeds and stores accepted documents.', countsFrom: 'rows' },
  'connector-sync': { does: 'Polls the sources of connectors.', countsFrom: 'rows' },
  'connector-prune': { does: 'Removes what is gone at the sources.', countsFrom: 'rows' },
  'connector-delete': { does: 'Removes connectors marked for deletion.', countsFrom: 'jobs' },
  'lead-scrape': { does: 'Searches and reads sites for leads.', countsFrom: 'rows' },
  'email-verify': { does: 'Sends the test message of a verification.', countsFrom: 'rows' },
  'email-send': { does: 'Sends messages.', countsFrom: 'rows' },
  'bounce-poll': { does: 'Reads reports of returned mail.', countsFrom: 'jobs' },
  'webhook-deliver': { does: 'Delivers events to webhook endpoints.', countsFrom: 'rows' },
  'webhook-sweep': { does: 'Deletes webhook events past retention.', countsFrom: 'jobs' },
  'outreach-sweep': { does: 'Deletes leads and messages past retention.', countsFrom: 'jobs' },
  'user-file': { does: 'Reads the text of uploaded files.', countsFrom: 'rows' },
  'chat-sweep': { does: 'Ends answers whose process died.', countsFrom: 'jobs' },
  'file-sweep': { does: 'Deletes files that belong to nobody.', countsFrom: 'jobs' },
  'vector-promote': {
    does: 'Moves staged vectors into the index, and merges its segments.',
    countsFrom: 'jobs',
  },
  'term-fold': {
    does: 'Folds word counts, merges postings and trains latent spaces.',
    countsFrom: 'jobs',
  },
  reconcile: { does: 'Sends jobs again for rows that lost theirs.', countsFrom: 'jobs' },
};

/** Queues whose handlers count attempts at rows themselves, since one job makes several. */
export const COUNTED_BY_ROWS: ReadonlySet<string> = new Set(['document-index', 'webhook-deliver']);
