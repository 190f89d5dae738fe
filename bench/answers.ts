import { createApiClient } from '#test/support/api-client.ts';
import {
  askHandbook,
  type Judged,
  judge,
  LABELLED,
  pushHandbook,
} from '#test/support/labelled-answers.ts';
import { until } from '#test/support/until.ts';
import type { BenchOptions } from './bench-options.ts';
import { startChildMillrace } from './child-millrace.ts';

/** Prints how many labelled questions get a right answer, or are rightly refused, without a language model. */
export async function answers({ verbose }: BenchOptions): Promise<void> {
  await using child = await startChildMillrace('src/main.ts');
  const client = createApiClient(child.url, child.adminKey);
  await pushHandbook(client);
  await until(async () => {
    const { body } = await client.call('GET', '/service-api/ingestion/stats');
    return body.counts.accepted + body.counts.indexing === 0;
  });
  const before = await child.usage();
  const unanswerable = LABELLED.unanswerable.map((question) => ({
    question,
    document: null,
    fact: '',
    before: [],
  }));
  const alone = LABELLED.answerable.map((labelled) => ({ ...labelled, before: [] }));
  const sets = { answerable: alone, 'follow-ups': LABELLED.followUps, unanswerable };
  const rows: Record<string, Record<string, number>> = {};
  let asked = 0;
  for (const [name, questions] of Object.entries(sets)) {
    const judged: Judged[] = [];
    for (const labelled of questions) {
      judged.push(judge(labelled, await askHandbook(client, labelled.question, labelled.before)));
      asked += 1 + labelled.before.length;
    }
    rows[name] = {
      questions: judged.length,
      refused: judged.filter(({ isRefused }) => isRefused).length,
      'right document first, or rightly refused': judged.filter(({ isRightFirst }) => isRightFirst)
        .length,
      'key fact': judged.filter(({ hasFact }) => hasFact).length,
    };
    if (verbose) {
      for (const { question, isRightFirst } of judged) if (!isRightFirst) console.log(question);
    }
  }
  const after = await child.usage();
  const cpuMs = ((after.cpuSeconds - before.cpuSeconds) * 1_000) / asked;
  console.log(`answers: ${child.size}, ${Math.round(cpuMs)} ms of CPU an answer`);
  console.table(rows);
}
