import type { DocumentRecord } from '#src/documents/store.ts';

/** Whether a document is found by searches, and why (not), in a sentence for its owner. */
export interface Explanation {
  searchable: boolean;
  sentence: string;
  since: Date;
}

/** What else decides. */
export interface IndexingFacts {
  now: Date;
  /** Processes that index and are alive. */
  workers: number;
  isPaused: boolean;
}

/** Explains the state of a document. An earlier version stays searchable until the next one is ready. */
export function explainDocument(document: DocumentRecord, facts: IndexingFacts): Explanation {
  const {
    status,
    indexed_revision: indexed,
    chunk_count: chunks,
    indexed_at: indexedAt,
  } = document;
  if (document.hidden) {
    return {
      searchable: false,
      sentence: 'It was hidden from searches by an administrator.',
      since: document.accepted_at,
    };
  }
  const hasOlder = indexed !== null && chunks > 0 && status !== 'deleting';
  const answer = (sentence: string, since: Date): Explanation => ({
    searchable: hasOlder,
    sentence:
      hasOlder && status !== 'indexed' ? `An earlier version is searchable. ${sentence}` : sentence,
    since,
  });
  switch (status) {
    case 'indexed':
      return chunks === 0
        ? answer('It is indexed, but has no text that could be found.', indexedAt ?? facts.now)
        : answer('It is searchable.', indexedAt ?? facts.now);
    case 'indexing':
      return answer(
        'It is being indexed at this moment.',
        document.indexing_started_at ?? facts.now,
      );
    case 'deleting':
      return answer('It is being deleted.', facts.now);
    case 'failed':
      return answer(
        `Indexing failed after ${document.attempts} attempt(s): ${reasonOf(document)} Send it again once that is mended.`,
        document.indexing_started_at ?? document.accepted_at,
      );
    case 'accepted':
      return answer(whyWaiting(document, facts), document.accepted_at);
  }
}

function whyWaiting(document: DocumentRecord, { now, workers, isPaused }: IndexingFacts): string {
  const { next_attempt_at: next, attempts } = document;
  if (isPaused) return 'It waits, because an operator has paused indexing.';
  if (workers === 0) return 'It waits, because no worker that indexes is running.';
  if (next !== null && next > now) {
    const at = `${next.toISOString().slice(11, 16)} UTC`;
    return `It waits for attempt ${attempts + 1} at ${at}: ${reasonOf(document)}`;
  }
  return 'It waits for its turn to be indexed.';
}

function reasonOf({ error }: DocumentRecord): string {
  const reason = (error ?? 'the reason is not known').trim();
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}
