import { expect, test } from 'vitest';
import { startFixture } from '#test/fixtures/connectors/github.ts';
import { openTestContext } from '#test/support/connector-context.ts';
import { driverOf, idsOf } from '#test/support/poll-fixture.ts';

test('files are read once per content, and non-text files are skipped with a reason', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  const { files } = fixture.kitchen;
  files.set('README.md', '# Kitchen\n\nWe cook.');
  files.set('docs/oven guide.md', 'Preheat to 200 degrees.');
  files.set('logo.png', Buffer.from([0x89, 0x50, 0x4e, 0x47]));
  files.set('blob', Buffer.from([1, 0, 2, 0]));
  files.set('empty.txt', '');
  files.set('big.txt', 'x'.repeat(1_000_001));
  files.set('broken.pdf', 'no pdf');
  const more = { include_files: true, include_prs: false, include_issues: false };
  const first = await driverOf(fixture).poll(context, more);
  expect(idsOf(first)).toEqual([
    'https://github.com/acme/kitchen/blob/main/README.md',
    'https://github.com/acme/kitchen/blob/main/docs/oven%20guide.md',
  ]);
  expect(
    Object.fromEntries(
      first.flatMap((p) => p.skipped).map((s) => [s.documentId?.split('/').at(-1), s.reason]),
    ),
  ).toEqual({
    'logo.png': 'not a text file',
    blob: 'not a text file',
    'empty.txt': 'empty file',
    'big.txt': 'file too large',
  });
  expect(first.flatMap(({ failures }) => failures)).toMatchObject([
    { documentId: 'https://github.com/acme/kitchen/blob/main/broken.pdf' },
  ]);
  files.set('README.md', Buffer.from([1, 0, 2, 0]));
  files.delete('broken.pdf');
  fixture.server.requests.length = 0;
  const second = await driverOf(fixture).poll(context, more);
  expect(idsOf(second)).toEqual([]);
  expect(second.flatMap(({ unchanged }) => unchanged)).toHaveLength(1);
  expect(second.flatMap(({ removed }) => removed)).toEqual([
    'https://github.com/acme/kitchen/blob/main/README.md',
  ]);
  const blobs = fixture.server.requests.filter(({ url }) => url.pathname.includes('/git/blobs/'));
  expect(blobs).toHaveLength(1);
});

test('a truncated tree is walked folder by folder, even from the middle', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  const { files } = fixture.kitchen;
  for (let index = 0; index < 120; index += 1)
    files.set(`a/${index % 7}/${index}.md`, `File ${index}`);
  for (const path of ['a.md', 'a-b.md', 'a/z.md', 'b/c/d.md']) files.set(path, `At ${path}`);
  fixture.state.maxTreeEntries = 20;
  const more = {
    include_files: true,
    include_prs: false,
    repositories: 'kitchen',
    include_issues: false,
  };
  const pages = await driverOf(fixture).poll(context, more);
  expect(new Set(idsOf(pages)).size).toBe(files.size);
  expect(idsOf(pages)).toHaveLength(files.size);
  await using fresh = openTestContext();
  const rest = await driverOf(fixture).poll(fresh, more, pages[0]?.checkpoint);
  expect(idsOf(rest)).toEqual(idsOf(pages.slice(1)));
  const listed = await driverOf(fixture).listIds(context, more);
  expect(listed.toSorted()).toEqual(idsOf(pages).toSorted());
});

test('failed files are fetched again by their address', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  fixture.kitchen.files.set('docs/oven guide.md', 'Preheat to 200 degrees.');
  const base = 'https://github.com/acme/kitchen/blob/main/docs';
  const pages = await driverOf(fixture).fetchAgain(
    context,
    [`${base}/oven%20guide.md`, `${base}/gone.md`],
    { include_files: true },
  );
  expect(pages).toMatchObject([
    { documents: [{ title: 'docs/oven guide.md' }], removed: [`${base}/gone.md`] },
  ]);
});
