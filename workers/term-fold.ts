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
import { defineWorker } from './worker.ts';

/**
 * A workspace has some hundred buckets, with compounds up to two thousand more, and each is due once a day: this many a
 * run serve some hundred workspaces. With more they are checked later, which costs nothing but room.
 */
const BUCKETS_PER_RUN = 20;
/** Some seconds each, in which words are not folded. */
const BASES_PER_RUN = 3;

export const worker = defineWorker(termFold, async (services, _payload, job) => {
  const { db, inBackground } = services;
  const repeat = async (step: () => Promise<number>, full: number): Promise<number> => {
    for (let sum = 0; ;) {
      const done = await inBackground(step);
      sum += done;
      if (done < full) return sum;
      job.signal.throwIfAborted();
    }
  };
  const rows = await foldTerms(db, inBackground, job.signal);
  const renewed = await repeat(() => renewTerms(db), RENEWED_PER_STEP);
  await repeat(() => renewTitles(db), RENEWED_TITLES_PER_STEP);
  await repeat(() => fillSynonyms(db), SYNONYMS_PER_STEP);
  while (await inBackground(() => dropOlderSegments(db))) job.signal.throwIfAborted();
  while (await mergePostings(db, inBackground, job.signal)) job.signal.throwIfAborted();
  if (await checkPostings(db, inBackground, job.signal)) await dropAbandonedSegments(db);
  for (let trained = 0; trained < BASES_PER_RUN; trained += 1) {
    if (!(await renewBasis(services, job.signal))) break;
  }
  const chunks = await repeat(() => gatherWords(db), CHUNKS_PER_STEP);
  for (let checked = 0; checked < BUCKETS_PER_RUN; checked += 1) {
    if (!(await inBackground(() => checkWords(db)))) break;
    job.signal.throwIfAborted();
  }
  return { rows, renewed, chunks };
});
