// @module-tag smoke
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  askLabelled,
  HANDBOOK,
  judge,
  LABELLED,
  pushLabelled,
} from '#test/support/labelled-answers.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;
beforeAll(async () => {
  millrace = await startTestMillrace();
  await pushLabelled(millrace, HANDBOOK);
  await millrace.settled();
});
afterAll(() => millrace[Symbol.asyncDispose]());

describe('answers without a language model', () => {
  it('decline questions that the documents do not answer', async () => {
    const answered: string[] = [];
    for (const question of LABELLED.unanswerable) {
      const { answer, citation_info } = await askLabelled(millrace, question);
      if (citation_info.length > 0) answered.push(question);
      else expect(answer).toMatch(/^I found nothing in the indexed documents/);
    }
    expect(LABELLED.unanswerable).toHaveLength(40);
    expect(answered.length, answered.join('\n')).toBeLessThanOrEqual(2);
  });

  it('cite the right document first and contain the requested fact', async () => {
    const judged = [];
    for (const labelled of LABELLED.answerable) {
      judged.push(judge(labelled, await askLabelled(millrace, labelled.question)));
    }
    const wrong = judged.filter(({ isRightFirst, hasFact }) => !isRightFirst || !hasFact);
    const said = wrong.map(({ question }) => question).join('\n');
    expect(judged).toHaveLength(40);
    expect(judged.filter(({ isRightFirst }) => isRightFirst).length, said).toBeGreaterThanOrEqual(
      38,
    );
    expect(judged.filter(({ hasFact }) => hasFact).length, said).toBeGreaterThanOrEqual(38);
  });

  it.each(LABELLED.followUps)(
    'interpret "$question" in the context of $before',
    async (labelled) => {
      const answered = await askLabelled(millrace, labelled.question, labelled.before);
      const { isRightFirst, hasFact } = judge(labelled, answered);
      expect(isRightFirst, answered.answer).toBe(true);
      expect(hasFact || labelled.documents.length === 0, answered.answer).toBe(true);
    },
  );

  it('find documents that have other words for what is asked', async () => {
    const { answer, citation_info, top_documents } = await askLabelled(millrace, 'baby');
    expect(top_documents[0]?.document_id).toBe('time-off.md');
    expect(citation_info[0]?.document_id, answer).toBe('time-off.md');
    const { body } = await millrace.call('POST', '/search', { query: 'baby' });
    expect(JSON.stringify(body)).not.toMatch(/Parental/);
  });

  it('list what was searched even when nothing is cited', async () => {
    const { top_documents } = await askLabelled(millrace, 'How do I rotate the TLS certificate?');
    expect(top_documents.length).toBeGreaterThan(0);
  });
});
