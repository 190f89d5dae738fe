import { expect, it } from 'vitest';
import type { DocumentRecord } from '#src/documents/store.ts';
import { explainDocument } from '#src/operations/explain-document.ts';

const now = new Date('2026-11-23T19:00:00Z');

function explain(document: Partial<DocumentRecord>, facts = {}) {
  const record = {
    status: 'accepted',
    indexed_revision: null,
    chunk_count: 0,
    attempts: 0,
    error: null,
    next_attempt_at: null,
    accepted_at: now,
    indexing_started_at: null,
    indexed_at: null,
    ...document,
    // What a document is about is not asked for.
  } as DocumentRecord;
  return explainDocument(record, { now, workers: 1, isPaused: false, ...facts });
}

it.each<[string, Partial<DocumentRecord>, object, boolean, string]>([
  ['waits', {}, {}, false, 'It waits for its turn to be indexed.'],
  ['waits while paused', {}, { isPaused: true }, false, 'an operator has paused indexing'],
  ['waits without a worker', {}, { workers: 0 }, false, 'no worker that indexes is running'],
  [
    'waits for a later attempt',
    {
      attempts: 2,
      next_attempt_at: new Date('2026-11-23T19:04:00Z'),
      error: 'The endpoint said 429',
    },
    {},
    false,
    'It waits for attempt 3 at 19:04 UTC: The endpoint said 429.',
  ],
  [
    'is indexed',
    { status: 'indexed', indexed_revision: 1, chunk_count: 4 },
    {},
    true,
    'It is searchable.',
  ],
  ['has no text', { status: 'indexed', indexed_revision: 1 }, {}, false, 'has no text'],
  [
    'failed',
    { status: 'failed', attempts: 8, error: 'It is damaged.' },
    {},
    false,
    'after 8 attempt(s): It is damaged. Send it again',
  ],
  [
    'has an earlier version',
    { status: 'indexing', indexed_revision: 1, chunk_count: 3 },
    {},
    true,
    'An earlier version is searchable. It is being indexed at this moment.',
  ],
  [
    'is hidden',
    { status: 'indexed', indexed_revision: 1, chunk_count: 3, hidden: true },
    {},
    false,
    'hidden',
  ],
  [
    'goes',
    { status: 'deleting', indexed_revision: 1, chunk_count: 3 },
    {},
    false,
    'It is being deleted.',
  ],
])('a document that %s is explained in a sentence', (_, document, facts, searchable, sentence) => {
  const answer = explain(document, facts);
  expect(answer.searchable).toBe(searchable);
  expect(answer.sentence).toContain(sentence);
});
