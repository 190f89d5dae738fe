import { termFold } from '#queues/term-fold.ts';
import { foldTerms } from '#src/documents/fold-terms.ts';
import { checkWords, CHUNKS_PER_STEP, gatherWords } from '#src/documents/gather-words.ts';
import {
  checkPostings,
  dropAbandonedSegments,
  mergePostings,
} from '#src/documents/merge-postings.ts';
import { renewBasis } from '#src/documents/renew-basis.ts';
import { dropOlderSegments, RENEWED_PER_STEP, renewTerms } from '#src/documents/renew-terms.ts';
import { RENEWED_TITLES_PER_STEP, renewTitles } from '#src/documents/renew-titles.ts';
import { fillSynonyms, SYNONYMS_PER_STEP } from '#src/documents/search/fill-synonyms.ts';
import { vacuumDocumentTexts } from '#src/documents/vacuum-tables.ts';
import { defineWorker } from './worker.ts';

/**
 * A workspace has some hundred buckets, with compounds up to two thousand more, and each is due once a day: this many a
 * run serve some hundred workspaces. With more they are checked later, which costs nothing but room.
 */
const BUCKETS_PER_RUN = 20;
/** Some seconds each, in which words are not folded. */
const BASES_PER_RUN = 3;
/** What is left of one kind of work waits for the next run: while documents arrive, it may never end. */
const LONGEST_MS = 20_000;

export const worker = defineWorker(termFold, async (services, _payload, job) => {
  const { db, inBackground } = services;
  const repeat = async (step: () => Promise<boolean>): Promise<void> => {
    const latest = performance.now() + LONGEST_MS;
    while ((await step()) && performance.now() < latest) job.signal.throwIfAborted();
  };
  const sumOf = async (step: () => Promise<number>, full: number): Promise<number> => {
    let sum = 0;
    await repeat(async () => {
      const done = await inBackground(step);
      sum += done;
      return done >= full;
    });
    return sum;
  };
  const rows = await foldTerms(services, job.signal);
  await inBackground(() => vacuumDocumentTexts(db));
  const renewed = await sumOf(() => renewTerms(db), RENEWED_PER_STEP);
  await sumOf(() => renewTitles(db), RENEWED_TITLES_PER_STEP);
  await sumOf(() => fillSynonyms(db), SYNONYMS_PER_STEP);
  await repeat(() => inBackground(() => dropOlderSegments(db)));
  await repeat(() => mergePostings(db, inBackground, job.signal));
  if (await checkPostings(db, inBackground, job.signal)) await dropAbandonedSegments(db);
  for (let trained = 0; trained < BASES_PER_RUN; trained += 1) {
    if (!(await renewBasis(services, job.signal))) break;
  }
  const chunks = await sumOf(() => gatherWords(db), CHUNKS_PER_STEP);
  for (let checked = 0; checked < BUCKETS_PER_RUN; checked += 1) {
    if (!(await inBackground(() => checkWords(db)))) break;
    job.signal.throwIfAborted();
  }
  return { rows, renewed, chunks };
});
