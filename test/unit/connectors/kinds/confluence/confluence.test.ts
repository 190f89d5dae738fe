import { expect, test } from 'vitest';
import { type ConfluenceFixture, startFixture } from '#test/fixtures/connectors/confluence.ts';
import { collectPages, openTestContext } from '#test/support/connector-context.ts';
import {
  documentsOf,
  fetchFixtureAgain,
  idsOf,
  listFixture,
  openFixture,
  pollFixture,
} from '#test/support/drive-connector.ts';

const DEPLOYMENTS = ['Cloud', 'Server'] as const;
const TEXT_FILE = { name: 'notes.txt', bytes: Buffer.from('Notes.'), mediaType: 'text/plain' };

const day = (number: number): Date => new Date(Date.UTC(2026, 0, number));

function fileUrl({ root, store }: ConfluenceFixture, page: string, name: string): string {
  return `${root}/download/attachments/${store.get(page).id}/${encodeURIComponent(name)}`;
}

test.each(DEPLOYMENTS)(
  '%s: every page is yielded once, with a checkpoint after each batch',
  async (deployment) => {
    await using fixture = await startFixture({ deployment });
    fixture.store.attach('page 2', TEXT_FILE, day(9));
    const pages = await pollFixture(fixture);
    const ids = [...fixture.ids(), fileUrl(fixture, 'page 2', 'notes.txt')];
    expect(idsOf(pages).toSorted()).toEqual(ids.toSorted());
    expect(pages.length).toBeGreaterThanOrEqual(4);
    expect(pages[0]?.estimatedTotal).toBe(8);
    expect(pages.at(-1)?.description).toMatch(/^space ABC, 9 of 9 pages/);
    for (const [index, { checkpoint }] of pages.entries()) {
      const rest = await pollFixture(fixture, {
        checkpoint: JSON.parse(JSON.stringify(checkpoint)),
      });
      expect(idsOf(rest)).toEqual(idsOf(pages.slice(index + 1)));
    }
  },
);

test.each(DEPLOYMENTS)(
  '%s: pages edited or deleted between two batches hide no others',
  async (deployment) => {
    await using fixture = await startFixture({ deployment });
    const { connector, settings, credential } = openFixture(fixture);
    await using context = openTestContext();
    const seen = new Set<string>();
    const before = fixture.ids();
    for await (const page of connector.poll(settings, credential, null, context.context)) {
      for (const { id } of page.documents) seen.add(id);
      if (seen.size === 3) {
        fixture.put('page 1', 'Edited.', day(20));
        fixture.put('page 7', 'Edited.', day(21));
        fixture.remove('page 2');
        fixture.remove('page 3');
      }
    }
    expect(seen).toEqual(new Set(before));
  },
);

test('an expired cursor is replaced by the time of the last page', async () => {
  await using fixture = await startFixture();
  const pages = await pollFixture(fixture);
  fixture.store.expireCursors();
  const rest = await pollFixture(fixture, { checkpoint: pages[1]?.checkpoint });
  expect(new Set([...idsOf(pages.slice(0, 2)), ...idsOf(rest)])).toEqual(new Set(fixture.ids()));
  expect(idsOf(rest).length).toBeLessThan(6);
});

test('an incremental poll uses the exact time, whatever the time zone of the account', async () => {
  await using fixture = await startFixture();
  const pages = await pollFixture(fixture, { since: day(6) });
  expect(idsOf(pages)).toEqual(fixture.ids().slice(5));
  expect(pages.flatMap(({ unchanged }) => unchanged)).toEqual(fixture.ids().slice(4, 5));
  const known = await pollFixture(fixture, { since: day(6), settings: { timezone_offset: 9 } });
  expect(idsOf(known)).toEqual(fixture.ids().slice(5));
  expect(known.flatMap(({ unchanged }) => unchanged)).toEqual([]);
});

test.each(DEPLOYMENTS)(
  '%s: a new comment or file yields its page again, although the page itself is unchanged',
  async (deployment) => {
    await using fixture = await startFixture({ deployment });
    fixture.store.comment('page 2', '<p>Late words.</p>', day(20));
    fixture.store.attach('page 3', TEXT_FILE, day(20));
    fixture.put('page 4', 'Edited.', day(20));
    fixture.store.comment('page 4', '<p>Also late.</p>', day(20));
    const pages = await pollFixture(fixture, { since: day(19) });
    const [first, second, third] = fixture.ids().slice(1);
    expect(idsOf(pages)).toEqual([third, first, second, fileUrl(fixture, 'page 3', 'notes.txt')]);
    expect(documentsOf(pages)[1]?.sections[1]?.text).toContain('Late words.');
  },
);

test('a page is one document with its comments, as readers see them', async () => {
  await using fixture = await startFixture();
  const { store, root } = fixture;
  const page = store.put(
    'page 1',
    '<h1>Head</h1><p>x &amp; <ac:link><ri:page ri:content-title="y" /></ac:link></p>',
    day(9),
  );
  page.labels = ['red', 'green'];
  for (let index = 1; index <= 5; index += 1)
    store.comment('page 1', `<p>Words ${index}.</p>`, day(10));
  const [document] = documentsOf(await pollFixture(fixture));
  const link = `${root}/spaces/ABC/pages/${page.id}/page%2B1`;
  expect(document).toMatchObject({
    id: `${root}/pages/viewpage.action?pageId=${page.id}`,
    semanticIdentifier: 'page 1',
    updatedAt: day(9),
    primaryOwners: [{ display_name: 'Ann Author', email: 'ann@example.com' }],
    secondaryOwners: [],
    metadata: {
      type: 'page',
      space: 'ABC',
      space_name: 'Alphabet',
      author: 'Ann Author',
      labels: ['red', 'green'],
    },
  });
  expect(document?.sections[0]).toEqual({ text: '# Head\n\nx & y', link });
  expect(document?.sections.slice(1).map(({ text }) => text)).toEqual(
    [1, 2, 3, 4, 5].map((index) => `Comment by Ann Author on 2026-01-10:\n\nWords ${index}.`),
  );
});

test.each(DEPLOYMENTS)(
  '%s: files are separate documents, and files without text are counted',
  async (deployment) => {
    await using fixture = await startFixture({ deployment });
    const { store } = fixture;
    store.attach(
      'page 1',
      { name: 'a b.txt', bytes: Buffer.from('Hello.'), mediaType: 'text/plain' },
      day(9),
    );
    store.attach(
      'page 1',
      { name: 'cat.png', bytes: Buffer.from('PNG'), mediaType: 'image/png' },
      day(9),
    );
    store.attach(
      'page 1',
      { name: 'broken.pdf', bytes: Buffer.from('no'), mediaType: 'application/pdf' },
      day(9),
    );
    store.attach(
      'page 5',
      { name: 'c.txt', bytes: Buffer.from('There.'), mediaType: 'text/plain' },
      day(9),
    );
    const pages = await pollFixture(fixture);
    const file = documentsOf(pages).find(({ id }) => id === fileUrl(fixture, 'page 1', 'a b.txt'));
    expect(file).toMatchObject({
      semanticIdentifier: 'a b.txt',
      metadata: { type: 'attachment', page: 'page 1' },
    });
    expect(file?.sections.map(({ text }) => text)).toEqual(['Hello.']);
    expect(pages.flatMap(({ skipped }) => skipped)).toEqual([
      {
        documentId: fileUrl(fixture, 'page 1', 'cat.png'),
        reason: 'not a type of file that holds text',
      },
    ]);
    const failures = pages.flatMap((page) => page.failures);
    expect(failures.map(({ documentId }) => documentId)).toEqual([
      fileUrl(fixture, 'page 1', 'broken.pdf'),
    ]);
    expect(failures[0]?.reason).toContain('broken.pdf');
    expect(await listFixture(fixture)).toEqual(
      expect.arrayContaining([...fixture.ids(), fileUrl(fixture, 'page 5', 'c.txt')]),
    );
    expect(await listFixture(fixture)).not.toContain(fileUrl(fixture, 'page 1', 'cat.png'));
    expect(await listFixture(fixture, { include_attachments: false })).toEqual(fixture.ids());
    expect(idsOf(await pollFixture(fixture, { settings: { include_attachments: false } }))).toEqual(
      fixture.ids(),
    );
  },
);

test('a file is downloaded again only when it has a new version', async () => {
  await using fixture = await startFixture();
  fixture.store.attach('page 1', TEXT_FILE, day(9));
  const { connector, settings, credential } = openFixture(fixture);
  await using context = openTestContext();
  const again = async () =>
    collectPages(connector.poll(settings, credential, null, context.context), context);
  const downloads = (): number =>
    fixture.server.requests.filter(({ url }) => url.pathname.startsWith('/media/')).length;
  await again();
  const second = await again();
  expect(downloads()).toBe(1);
  expect(second.flatMap(({ unchanged }) => unchanged)).toEqual([
    fileUrl(fixture, 'page 1', 'notes.txt'),
  ]);
  fixture.store.attach('page 1', { ...TEXT_FILE, bytes: Buffer.from('New.') }, day(10));
  expect(documentsOf(await again()).some(({ sections }) => sections[0]?.text === 'New.')).toBe(
    true,
  );
});

test('labels to skip, archived pages and unreadable pages do not affect the others', async () => {
  await using fixture = await startFixture();
  const { store, server } = fixture;
  store.get('page 1').labels = ['secret'];
  store.attach('page 1', TEXT_FILE, day(9));
  store.get('page 2').status = 'archived';
  store.get('page 3').storage = '<div>'.repeat(20_000);
  store.comment('page 4', '<p>x</p>', day(9));
  store.get('page 5').status = 'trashed';
  server.fault = ({ url }) =>
    url.searchParams.get('cql')?.startsWith('type = comment and container = ')
      ? { kind: 'status', status: 403, body: { statusCode: 403, message: 'No comments for you.' } }
      : null;
  const settings = { labels_to_skip: ['secret'] };
  const pages = await pollFixture(fixture, { settings });
  const ids = fixture.ids();
  expect(idsOf(pages)).toEqual(ids.slice(5));
  expect(pages.flatMap(({ skipped }) => skipped)).toEqual([
    { documentId: ids[0], reason: 'has a label to skip' },
    { documentId: ids[1], reason: 'archived or in the trash' },
  ]);
  const failures = pages.flatMap((page) => page.failures);
  expect(failures.map(({ documentId }) => documentId)).toEqual([ids[2], ids[3]]);
  expect(failures[0]?.reason).toContain('nested too deeply');
  expect(failures[1]?.reason).toContain('No comments for you.');
  expect(await listFixture(fixture, settings)).toEqual([ids[2], ids[3], ...ids.slice(5)]);
});

test('one page, its tree, or a query selects what is indexed', async () => {
  await using fixture = await startFixture();
  const { store } = fixture;
  const top = store.get('page 3').id;
  store.get('page 4').parent = top;
  store.get('page 6').labels = ['red'];
  const choose = async (settings: Record<string, unknown>): Promise<string[]> =>
    idsOf(await pollFixture(fixture, { settings }));
  const ids = fixture.ids();
  expect(await choose({ page_id: top })).toEqual([ids[2]]);
  expect(await choose({ page_id: top, index_recursively: true })).toEqual([ids[2], ids[3]]);
  expect(await choose({ cql_query: 'label = red order by title' })).toEqual([ids[5]]);
});

test('failed documents are fetched again one by one, and missing ones are removed', async () => {
  await using fixture = await startFixture();
  fixture.store.attach('page 1', TEXT_FILE, day(9));
  const [first = '', second = ''] = fixture.ids();
  const file = fileUrl(fixture, 'page 1', 'notes.txt');
  const goneFile = fileUrl(fixture, 'page 1', 'gone.txt');
  const filesOfGone = fileUrl(fixture, 'page 2', 'notes.txt');
  fixture.remove('page 2');
  const pages = await fetchFixtureAgain(fixture, [
    first,
    second,
    file,
    goneFile,
    filesOfGone,
    'https://x.example/',
  ]);
  expect(idsOf(pages)).toEqual([first, file]);
  expect(pages.flatMap(({ removed }) => removed).toSorted()).toEqual(
    [second, goneFile, filesOfGone, 'https://x.example/'].toSorted(),
  );
});
