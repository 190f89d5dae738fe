// @module-tag smoke
// @module-tag database
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFixture, type TrackerFixture } from '#test/fixtures/connectors/tracker.ts';
import { linkTracker, type PairOfSource } from '#test/support/connector-client.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

let millrace: TestMillrace;
let source: TrackerFixture;
let pair: PairOfSource;

beforeAll(async () => {
  millrace = await startTestMillrace({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' });
  source = await startFixture();
  pair = await linkTracker(millrace, { ...source, name: 'Issues' });
  await millrace.call('POST', '/service-api/ingestion', {
    document: {
      id: 'pushed',
      semantic_identifier: 'Issue by hand',
      sections: [{ text: 'Text of issue 1.' }],
    },
  });
  await millrace.settled();
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await source[Symbol.asyncDispose]();
});

const PATH = '/manage/admin/document-set';
const call: TestMillrace['call'] = (...request) => millrace.call(...request);
const create = (name: string, cc_pair_ids: unknown) =>
  call('POST', PATH, { name, description: '', cc_pair_ids, is_public: true });
const listed = async () => (await call('GET', '/manage/document-set')).body;
const found = async (document_set: string[]): Promise<string[]> =>
  (
    await call('POST', '/search', {
      query: 'text of issue',
      limit: 50,
      search_filters: { document_set },
    })
  ).body.results.map((hit: { document_id: string }) => hit.document_id);

describe('document sets', () => {
  it.each<[string, unknown, string]>([
    ['no pairs', [], 'body.cc_pair_ids'],
    ['an unknown pair', [999_999], 'body.cc_pair_ids[0]'],
    ['an invalid id', ['one'], 'body.cc_pair_ids[0]'],
  ])('with %s are refused and not created', async (name, ids, words) => {
    const { status, body } = await create(name, ids);
    expect([status, body.error_code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.detail).toContain(words);
    expect((await listed()).map((set: { name: string }) => set.name)).not.toContain(name);
  });

  it('restrict a search to the documents of their pairs as soon as they are created', async () => {
    const made = await create('Issues only', [pair.pairId, pair.pairId]);
    expect([made.status, typeof made.body]).toEqual([200, 'number']);
    expect((await found(['Issues only'])).toSorted()).toEqual(source.ids().toSorted());
    expect((await found([])).toSorted()).toEqual(['pushed', ...source.ids()].toSorted());
    expect(await found(['Nothing of that name'])).toEqual([]);
    expect(await listed()).toMatchObject([
      {
        id: made.body,
        name: 'Issues only',
        cc_pair_summaries: [
          { id: pair.pairId, name: 'Issues', source: 'tracker', access_type: 'PUBLIC' },
        ],
        is_up_to_date: true,
      },
    ]);
  });

  it('have unique names and can be changed and deleted', async () => {
    const { body: id } = await create('First', [pair.pairId]);
    await create('Second', [pair.pairId]);
    const twice = await create('First', [pair.pairId]);
    expect([twice.status, twice.body.detail]).toEqual([400, expect.stringContaining('body.name')]);
    const rename = (name: string) => call('PATCH', PATH, { id, name, cc_pair_ids: [pair.pairId] });
    expect((await rename('Second')).status).toBe(400);
    const renamed = await rename('Third');
    expect([renamed.status, renamed.text]).toEqual([200, 'null']);
    const pairless = await call('PATCH', PATH, { id, cc_pair_ids: [pair.pairId, 999_999] });
    expect(pairless.body.detail).toContain('body.cc_pair_ids[1]');
    expect(await listed()).toContainEqual(
      expect.objectContaining({ id, name: 'Third', cc_pair_summaries: [expect.anything()] }),
    );
    expect((await call('DELETE', `${PATH}/${id}`)).text).toBe('null');
    expect((await call('DELETE', `${PATH}/${id}`)).status).toBe(404);
    expect((await rename('Fourth')).status).toBe(404);
    expect((await found([])).length).toBeGreaterThan(1);
  });
});
