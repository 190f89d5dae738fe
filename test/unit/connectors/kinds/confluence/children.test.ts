import { expect, test } from 'vitest';
import { CONFLUENCE_SETTINGS } from '#src/connectors/kinds/confluence/confluence-settings.ts';
import { startFixture } from '#test/fixtures/connectors/confluence.ts';
import { documentsOf, idsOf, listFixture, pollFixture } from '#test/support/drive-connector.ts';

const AT = new Date(Date.UTC(2026, 0, 9));
const DEPRECATED = /\/rest\/api\/content\/\d+\/child\/(?:comment|attachment)$/;

test.each(['Cloud', 'Server'] as const)(
  '%s: all comments and files of a page are read, using the endpoints documented today',
  async (deployment) => {
    await using fixture = await startFixture({ deployment });
    const { store, server } = fixture;
    for (let index = 1; index <= 5; index += 1) {
      store.comment('page 1', `<p>Remark ${index}.</p>`, AT);
      const file = { name: `${index}.txt`, bytes: Buffer.from(`File ${index}.`) };
      store.attach('page 1', { ...file, mediaType: 'text/plain' }, AT);
    }
    const documents = documentsOf(await pollFixture(fixture));
    const page = documents.find(({ semanticIdentifier }) => semanticIdentifier === 'page 1');
    expect(page?.sections).toHaveLength(6);
    expect(documents).toHaveLength(8 + 5);
    expect(await listFixture(fixture)).toHaveLength(8 + 5);
    const deprecated = server.requests.filter(({ url }) => DEPRECATED.test(url.pathname));
    expect(deprecated.length > 0).toBe(deployment === 'Server');
  },
);

test('a run resumes within the files of a page, even when its cursor has expired', async () => {
  await using fixture = await startFixture();
  for (let index = 1; index <= 25; index += 1) {
    const bytes = Buffer.from(`File ${index}.`);
    fixture.store.attach('page 1', { name: `${index}.txt`, bytes, mediaType: 'text/plain' }, AT);
  }
  const pages = await pollFixture(fixture);
  const all = new Set(idsOf(pages));
  const index = pages.findIndex(({ checkpoint }) => hasPlace(checkpoint));
  expect(index).toBeGreaterThanOrEqual(0);
  fixture.store.expireCursors();
  const checkpoint: unknown = JSON.parse(JSON.stringify(pages[index]?.checkpoint));
  const rest = await pollFixture(fixture, { checkpoint });
  expect(rest.flatMap(({ failures }) => failures)).toEqual([]);
  expect(new Set([...idsOf(pages.slice(0, index + 1)), ...idsOf(rest)])).toEqual(all);
});

function hasPlace(checkpoint: unknown): boolean {
  return /"place":\{"/.test(JSON.stringify(checkpoint).replace(/^.*"waiting"/, ''));
}

test('an Atlassian address is Cloud, whatever the settings say', () => {
  const parsed = CONFLUENCE_SETTINGS.parse({
    wiki_base: 'https://acme.atlassian.net/wiki/spaces/ABC',
    is_cloud: false,
  });
  expect(parsed).toMatchObject({ isCloud: true, root: 'https://acme.atlassian.net/wiki' });
});
