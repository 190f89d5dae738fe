import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { createApiClient } from '#test/support/api-client.ts';
import {
  askLabelled,
  HANDBOOK,
  type Judged,
  judge,
  LABELLED,
  type LabelledDocument,
  type LabelledQuestion,
  pushLabelled,
} from '#test/support/labelled-answers.ts';
import { until } from '#test/support/until.ts';
import type { BenchOptions } from './bench-options.ts';
import { startChildMillrace } from './child-millrace.ts';

/**
 * Prints how many labelled questions get a right answer, or are rightly refused, without a language model: those of the
 * tests, or of a folder (`docs/chat.md`).
 */
export async function answers({ questions: folder, verbose }: BenchOptions): Promise<void> {
  const { documents, questions: sets } = folder === null ? ownSet() : readFolder(folder);
  await using child = await startChildMillrace('src/main.ts');
  const client = createApiClient(child.url, child.adminKey);
  await pushLabelled(client, documents);
  await until(async () => {
    const { body } = await client.call('GET', '/service-api/ingestion/stats');
    return body.counts.accepted + body.counts.indexing === 0;
  });
  const before = await child.usage();
  const rows: Record<string, Record<string, number>> = {};
  let asked = 0;
  for (const [name, questions] of Object.entries(sets)) {
    const judged: Judged[] = [];
    for (const one of questions) {
      const answered = await askLabelled(client, one.question, one.before);
      const verdict = judge(one, answered);
      judged.push(verdict);
      asked += 1 + one.before.length;
      if (verbose && !isRight(one, verdict)) {
        const cited = answered.citation_info.map(({ document_id }) => document_id);
        console.log(
          { question: one.question, documents: one.documents, fact: one.fact, cited },
          answered.answer.slice(0, 1500),
        );
      }
    }
    rows[name] = {
      questions: judged.length,
      refused: judged.filter(({ isRefused }) => isRefused).length,
      'right document first, or rightly refused': judged.filter(({ isRightFirst }) => isRightFirst)
        .length,
      'key fact': judged.filter(({ hasFact }) => hasFact).length,
    };
  }
  const after = await child.usage();
  const cpuMs = ((after.cpuSeconds - before.cpuSeconds) * 1_000) / asked;
  console.log(`answers: ${child.size}, ${Math.round(cpuMs)} ms of CPU an answer`);
  console.table(rows);
}

interface AnswerSet {
  documents: readonly LabelledDocument[];
  questions: Record<string, LabelledQuestion[]>;
}

/** The handbook of the tests. */
function ownSet(): AnswerSet {
  const { answerable, followUps } = LABELLED;
  const unanswerable = LABELLED.unanswerable.map((question) => ({
    question,
    documents: [],
    fact: '',
    before: [],
  }));
  return { documents: HANDBOOK, questions: { answerable, 'follow-ups': followUps, unanswerable } };
}

const documentLine = z.object({ id: z.string(), title: z.string(), text: z.string() });
const questionLine = z.object({
  question: z.string(),
  /** Ids of the documents with the answer; empty when there is none. */
  docs: z.array(z.string()).default([]),
  /** Texts of which a right answer has one. */
  fact: z.array(z.string()).default([]),
  before: z.array(z.string()).default([]),
});

/** @throws when `docs.jsonl` or `questions.jsonl` is missing or has a line of another form */
function readFolder(folder: string): AnswerSet {
  const linesOf = (name: string): unknown[] =>
    readFileSync(path.join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): unknown => JSON.parse(line));
  const documents = z.array(documentLine).parse(linesOf('docs.jsonl'));
  const questions = z
    .array(questionLine)
    .parse(linesOf('questions.jsonl'))
    .map(({ question, docs, fact, before }) => ({
      question,
      documents: docs,
      fact: fact.map((text) => RegExp.escape(text)).join('|'),
      before,
    }));
  const groups = Object.groupBy(questions, (one) =>
    one.documents.length > 0 ? 'answerable' : 'unanswerable',
  );
  const { answerable = [], unanswerable = [] } = groups;
  return { documents, questions: { answerable, unanswerable } };
}

function isRight({ documents }: LabelledQuestion, { isRightFirst, hasFact }: Judged): boolean {
  return isRightFirst && (hasFact || documents.length === 0);
}
