// @module-tag smoke
// @module-tag database
// @module-tag queues
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;

beforeAll(async () => {
  millrace = await startTestMillrace({ MAX_DOCUMENT_BYTES: '20000000' });
});
afterAll(() => millrace[Symbol.asyncDispose]());

const document = (id: string, text: string, rest: object = {}) => ({
  document: { id, semantic_identifier: id, sections: [{ text }], metadata: {}, ...rest },
});
const post = (item: unknown) => millrace.call('POST', '/service-api/ingestion', item);
const status = async (id: string) =>
  (await millrace.call('GET', `/service-api/ingestion/${encodeURIComponent(id)}`)).body;
const found = async (query: string, filters: object = {}) => {
  const { body } = await millrace.call('POST', '/search', { query, search_filters: filters });
  return body.results.map((hit: { document_id: string }) => hit.document_id);
};

describe('ingestion', () => {
  it('returns the id as given, and updates on the second post', async () => {
    const id = 'odd id/with ünïcode?&#%2F';
    const first = await post(document(id, 'The first text about zeppelins.'));
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      document_id: id,
      already_existed: false,
      status: 'accepted',
    });
    const second = await post(document(id, 'The second text about zeppelins.'));
    expect(second.body).toMatchObject({ document_id: id, already_existed: true });
    await millrace.settled();
    expect((await millrace.call('GET', first.body.status_url)).body).toMatchObject({
      document_id: id,
      status: 'indexed',
      revision: 2,
      indexed_revision: 2,
      chunk_count: 1,
      error: null,
    });
  });

  it('derives the id of a minimal payload, so that the same payload updates', async () => {
    const payload = {
      document: {
        semantic_identifier: 'Minimal one',
        sections: [{ text: 'Only what is needed.' }],
        source: 'file',
        metadata: {},
      },
      cc_pair_id: 987_654,
    };
    const first = await post(payload);
    const second = await post(payload);
    expect(second.body.document_id).toBe(first.body.document_id);
    expect([first.body.already_existed, second.body.already_existed]).toEqual([false, true]);
  });

  it('does not index unchanged content again', async () => {
    await post(document('unchanged', 'Nothing changes here.'));
    await millrace.settled();
    const before = await status('unchanged');
    const again = await post(document('unchanged', 'Nothing changes here.'));
    expect(again.body).toMatchObject({ already_existed: true, status: 'indexed' });
    expect(await status('unchanged')).toEqual(before);
  });

  it('replaces NUL and lone surrogates instead of failing', async () => {
    const answer = await post(
      document('dirty\u0000id', 'A text\u0000 with \uD800 rubbish', {
        metadata: { 'k\u0000': 'v\uDC00' },
      }),
    );
    expect(answer.status).toBe(200);
    expect(answer.body.document_id).toBe('dirtyid');
    await millrace.settled();
    expect(await status('dirtyid')).toMatchObject({ status: 'indexed' });
  });

  it('refuses a document without title or text and names the field', async () => {
    const noTitle = await post({ document: { sections: [{ text: 'x' }], metadata: {} } });
    expect(noTitle.status).toBe(400);
    expect(noTitle.body).toMatchObject({ error_code: 'BAD_REQUEST' });
    expect(noTitle.body.detail).toContain('semantic_identifier');
    const noText = await post({
      document: { semantic_identifier: 'x', sections: [{ text: ' ' }] },
    });
    expect(noText.status).toBe(400);
    expect(noText.body.detail).toContain('sections');
  });

  it('answers a batch item by item, so that an invalid item does not affect the others', async () => {
    const { status: code, body } = await millrace.call('POST', '/service-api/ingestion/batch', {
      documents: [document('batch-1', 'One'), { document: { id: 7 } }, document('batch-1', 'Two')],
    });
    expect(code).toBe(200);
    expect(body).toMatchObject({ accepted: 2, failed: 1 });
    expect(body.results.map((result: { index: number }) => result.index)).toEqual([0, 1, 2]);
    expect(body.results[1]).toMatchObject({ error_code: 'BAD_REQUEST' });
    expect(body.results[2]).toMatchObject({ document_id: 'batch-1', already_existed: true });
    await millrace.settled();
    expect(await found('two')).toContain('batch-1');
  });

  it('answers a stream of lines in order, line by line', async () => {
    const lines = Array.from({ length: 700 }, (_, index) =>
      index === 300 ? '{broken' : JSON.stringify(document(`line-${index}`, `Line number ${index}`)),
    );
    const answer = await millrace.call('POST', '/service-api/ingestion/batch', lines.join('\n'), {
      headers: { 'Content-Type': 'application/x-ndjson' },
    });
    const results = answer.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(results).toHaveLength(700);
    expect(results.map((result) => result.index)).toEqual(lines.map((_, index) => index));
    expect(results[300]).toMatchObject({ error_code: 'BAD_REQUEST' });
    expect(results.filter((result) => result.document_id)).toHaveLength(699);
    await millrace.settled();
  });
});

describe('indexing', () => {
  it('fails a poisoned document alone with a reason, and indexes its neighbours', async () => {
    const noise = Array.from({ length: 5_000 }, (_, index) =>
      String.fromCharCode(1 + (index % 8)),
    ).join('');
    const { body } = await millrace.call('POST', '/service-api/ingestion/batch', {
      documents: [
        document('noise', noise),
        document('spaceless', 'x'.repeat(2_000_000)),
        document('neighbour', 'A healthy neighbour about marmalade.'),
      ],
    });
    expect(body.accepted).toBe(3);
    await millrace.settled();
    const failed = await status('noise');
    expect(failed.status).toBe('failed');
    expect(failed.error).toMatch(/binary/);
    expect((await status('spaceless')).status).toBe('indexed');
    expect(await found('marmalade')).toEqual(['neighbour']);
  });

  it('keeps an edit made while the document is being indexed', async () => {
    const texts = Array.from(
      { length: 12 },
      (_, index) => `Version${index} of the racing document`,
    );
    for (const text of texts) expect((await post(document('racing', text))).status).toBe(200);
    await millrace.settled();
    const { rows } = await chunksOf('racing');
    expect(rows).toHaveLength(1);
    expect(rows[0]?.text).toBe(texts.at(-1));
    const record = await status('racing');
    expect(record.indexed_revision).toBe(record.revision);
  });

  it('keeps a deleted document deleted, even when it was being indexed', async () => {
    for (let round = 0; round < 5; round += 1) {
      await post(document('doomed', `Doomed platypus ${round}. ${'Much text. '.repeat(2_000)}`));
      const gone = await millrace.call('DELETE', '/service-api/ingestion/doomed');
      expect(gone.status).toBe(200);
      expect(await found('doomed platypus')).not.toContain('doomed');
    }
    await millrace.settled();
    expect((await millrace.call('GET', '/service-api/ingestion/doomed')).status).toBe(404);
    expect((await chunksOf('doomed')).rows).toHaveLength(0);
  });

  it('hides the old text of a deleted document that is sent again, until the new text is indexed', async () => {
    await post(document('phoenix', 'The old text speaks of axolotls.'));
    await millrace.settled();
    await millrace.call('DELETE', '/service-api/ingestion/phoenix');
    const again = await post(document('phoenix', 'The new text speaks of pangolins.'));
    expect(again.body.already_existed).toBe(false);
    expect(await found('axolotls')).not.toContain('phoenix');
    await millrace.settled();
    expect(await found('axolotls')).not.toContain('phoenix');
    expect((await found('pangolins'))[0]).toBe('phoenix');
  });

  it('keeps the rows of unchanged chunks when a document is edited', async () => {
    const paragraph = (n: number) =>
      `## Part ${n}\n\n${`Sentence number ${n} about kettles. `.repeat(60)}`;
    await post(document('edited', [1, 2, 3, 4].map(paragraph).join('\n\n')));
    await millrace.settled();
    const before = (await chunksOf('edited')).rows.map((row) => row.id);
    await post(document('edited', [1, 2, 3, 5].map(paragraph).join('\n\n')));
    await millrace.settled();
    const after = (await chunksOf('edited')).rows.map((row) => row.id);
    const kept = after.filter((id) => before.includes(id));
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(after.length);
  });
});

describe('search', () => {
  it('matches words, misspelled words, and every filter', async () => {
    await post(
      document('filtered', 'Quokkas live on Rottnest Island.', {
        source: 'web',
        metadata: { animal: ['quokka', 'marsupial'] },
        doc_updated_at: '2020-05-05T00:00:00Z',
      }),
    );
    await millrace.settled();
    expect((await found('where do quokkas live'))[0]).toBe('filtered');
    expect((await found('quokas islnad rotnest'))[0]).toBe('filtered');
    const yes = [
      { source_type: ['web', 'file'] },
      { tags: { animal: 'quokka' } },
      { tags: [{ tag_key: 'animal', tag_value: 'marsupial' }] },
      { time_cutoff: '2020-01-01T00:00:00Z' },
    ];
    for (const filters of yes) expect((await found('quokkas', filters))[0]).toBe('filtered');
    const no = [
      { source_type: ['slack'] },
      { tags: { animal: 'cat' } },
      { time_cutoff: '2021-01-01T00:00:00Z' },
      { document_set: ['no such set'] },
    ];
    for (const filters of no) expect(await found('quokkas', filters)).not.toContain('filtered');
  });

  it('returns offsets of the passage within its section', async () => {
    const text = `# Intro\n\n${'Filler sentence. '.repeat(300)}\n\n# Otters\n\nOtters hold hands 🦦 while asleep.\n`;
    await post(document('offsets', text));
    await millrace.settled();
    const { body } = await millrace.call('POST', '/search', { query: 'otters hold hands asleep' });
    const [hit] = body.results;
    expect(hit.document_id).toBe('offsets');
    expect(text.slice(hit.start_offset, hit.end_offset)).toBe(hit.text);
    expect(hit.text).toContain('hold hands');
  });

  it('returns nothing for a topic that no document covers', async () => {
    const { key } = await millrace.createWorkspace();
    const item = document('tea', 'Green tea is brewed below the boiling point of water.');
    await millrace.call('POST', '/service-api/ingestion', item, { key });
    await millrace.settled(key);
    const results = async (query: string) =>
      (await millrace.call('POST', '/search', { query }, { key })).body.results;
    expect(await results('brewing green tea')).toHaveLength(1);
    expect(await results('xylophonezzz qqqwww')).toEqual([]);
  });
});

async function chunksOf(id: string) {
  const { sql } = await import('kysely');
  return sql<{ id: number; text: string }>`
    select c.id, c.text from chunk c join document d on d.id = c.document_id
    where d.external_id = ${id} order by c.ordinal`.execute(millrace.services.db);
}
