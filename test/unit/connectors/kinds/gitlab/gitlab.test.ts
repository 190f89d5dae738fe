import { expect, test } from 'vitest';
import { gitlab } from '#src/connectors/kinds/gitlab/gitlab.ts';
import {
  CredentialRejected,
  SourceRefused,
  SourceUnavailable,
} from '#src/connectors/source/source-errors.ts';
import { type GitlabFixture, startFixture } from '#test/fixtures/connectors/gitlab.ts';
import { openTestContext } from '#test/support/connector-context.ts';
import { driverOf, faultOnce, idsOf, laterContext } from '#test/support/poll-fixture.ts';

const AT = new Date('2026-03-01T09:00:00.123Z');
const SINCE = new Date('2026-02-01T00:00:00Z');
const WEB = 'https://git.acme.example/git/acme/tools/kitchen/-';

const drive = (fixture: GitlabFixture) => driverOf(fixture, gitlab);

test('everything changed at one moment is read, even if some of it changes between two pages', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  const bulk = new Map<string, string>();
  for (let index = 0; index < 12; index += 1) {
    bulk.set(fixture.put(`Bulk ${index}`, 'imported', AT), `Bulk ${index}`);
  }
  const seen = new Set<string>();
  for await (const page of drive(fixture).pages(context)) {
    for (const { id } of page.documents) seen.add(id);
    // The first item read leaves the moment that is currently being paged.
    const [id = '', name] = [...bulk].find(([each]) => seen.has(each)) ?? [];
    if (name) fixture.put(name, 'edited', new Date('2026-03-02T09:00:00Z'));
    bulk.delete(id);
  }
  expect(seen).toEqual(new Set(fixture.ids()));
});

test('a run resumed from any checkpoint misses nothing', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  fixture.state.files.set('README.md', '# Kitchen').set('docs/oven.md', 'Preheat.');
  fixture.state.files.set('src/a.ts', 'export {};').set('src/b.ts', 'export {};  // b');
  const more = { include_code_files: true };
  const pages = await drive(fixture).poll(context, more);
  expect(pages.length).toBeGreaterThan(5);
  expect(idsOf(pages)).toHaveLength(fixture.ids().length + 4);
  for (const [index, { checkpoint }] of pages.entries()) {
    const stored: unknown = JSON.parse(JSON.stringify(checkpoint));
    await using fresh = openTestContext();
    const rest = await drive(fixture).poll(fresh, more, stored);
    const all = [...idsOf(pages.slice(0, index + 1)), ...idsOf(rest)];
    expect(all.toSorted()).toEqual(idsOf(pages).toSorted());
  }
});

test('a rate limit is waited for until its reset, and a long one ends the run until later', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  const limited = (seconds: number) => ({
    kind: 'status' as const,
    status: 429,
    headers: { 'ratelimit-reset': String(Math.floor(Date.now() / 1_000) + seconds) },
    body: 'Retry later\n',
  });
  fixture.server.fault = faultOnce((path) => path.endsWith('/issues'), limited(20));
  expect(idsOf(await drive(fixture).poll(context))).toHaveLength(fixture.ids().length);
  expect(context.waits.some((ms) => ms > 15_000 && ms <= 22_000)).toBe(true);
  fixture.server.fault = faultOnce((path) => path.endsWith('/issues'), limited(3_600));
  await expect(drive(fixture).poll(context)).rejects.toThrow(SourceUnavailable);
});

test('the check passes, and names a missing project, an invalid token and a missing scope', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  const check = (more: object = {}) => drive(fixture).check(context, more);
  await check({ include_code_files: true });
  const missing = check({ project_name: 'attic' });
  await expect(missing).rejects.toThrow(SourceRefused);
  await expect(missing).rejects.toThrow(
    'The project acme/tools/attic does not exist, or the token cannot see it.',
  );
  fixture.state.scopes = 'read_user';
  await expect(check()).rejects.toThrow(CredentialRejected);
  await expect(check()).rejects.toThrow('higher privileges');
  fixture.expireCredential?.();
  await expect(check()).rejects.toThrow(CredentialRejected);
  await expect(check()).rejects.toThrow('401 Unauthorized');
});

test('an issue whose comments cannot be read fails alone and is fetched again', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  fixture.server.fault = ({ url }) =>
    url.pathname.endsWith('/issues/1/notes') ? { kind: 'status', status: 403 } : null;
  const pages = await drive(fixture).poll(context);
  const failures = pages.flatMap((page) => page.failures);
  expect(failures).toMatchObject([{ documentId: `${WEB}/issues/1` }]);
  expect(idsOf(pages)).toHaveLength(fixture.ids().length - 1);
  fixture.server.fault = () => null;
  fixture.state.files.set('docs/oven guide.md', 'Preheat to 200 degrees.');
  const gone = [`${WEB}/issues/999`, `${WEB}/blob/main/gone.md`, 'https://elsewhere.example/1'];
  const here = [`${WEB}/issues/1`, `${WEB}/blob/main/docs/oven%20guide.md`];
  const again = await drive(fixture).fetchAgain(context, [...here, ...gone], {
    include_code_files: true,
  });
  expect(idsOf(again)).toEqual(here);
  expect(again.flatMap(({ removed }) => removed)).toEqual(gone);
});

test('a merge request becomes one document with its comments and without system notes', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  Object.assign(fixture.state.merge_requests.get(4) ?? {}, {
    state: 'merged',
    labels: ['bug'],
    assignees: ['grace'],
    milestone: 'Spring',
    notes: [
      { body: 'Looks good.', author: 'Grace' },
      { body: 'changed the milestone to Spring', author: 'Grace', system: true },
      { body: 'Rename this.', author: 'Linus', path: 'src/hose.ts' },
    ],
  });
  const more = { include_issues: false, state_filter: 'closed' };
  const pages = await drive(fixture).poll(context, more);
  expect(pages.flatMap((page) => page.documents)).toMatchObject([
    {
      id: `${WEB}/merge_requests/4`,
      semanticIdentifier: 'acme/tools/kitchen!4: Thing 4 is broken',
      sections: [
        { text: 'About Thing 4 is broken.', link: `${WEB}/merge_requests/4` },
        { text: 'Grace: Looks good.', link: `${WEB}/merge_requests/4#note_1` },
        { text: 'Linus on src/hose.ts: Rename this.' },
      ],
      metadata: {
        object_type: 'merge_request',
        project: 'acme/tools/kitchen',
        state: 'merged',
        author: 'ada',
        assignees: ['grace'],
        labels: ['bug'],
        milestone: 'Spring',
      },
      primaryOwners: [{ display_name: 'Ada Lovelace' }],
      secondaryOwners: [{ display_name: 'grace' }],
    },
  ]);
  expect(await drive(fixture).listIds(context, more)).toEqual([`${WEB}/merge_requests/4`]);
});

test('a later run reads only changes, and items that no longer match the state filter are removed', async () => {
  await using fixture = await startFixture();
  await using first = openTestContext();
  const open = { state_filter: 'opened' };
  await drive(fixture).poll(first, open);
  const id = fixture.put('A new one', 'Please look.', AT);
  Object.assign(fixture.state.issues.get(2) ?? {}, { state: 'closed', updatedAt: AT });
  fixture.state.changes += 1;
  await using later = laterContext(first, SINCE);
  fixture.server.requests.length = 0;
  const pages = await drive(fixture).poll(later, open);
  expect(idsOf(pages)).toEqual([id]);
  expect(pages.flatMap(({ removed }) => removed)).toEqual([`${WEB}/issues/2`]);
  expect(fixture.server.requests).toHaveLength(3);
});

test('an issue keeps its id when a newer GitLab shows it at another address', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  const before = idsOf(await drive(fixture).poll(context));
  fixture.state.hasWorkItems = true;
  await using later = openTestContext();
  const pages = await drive(fixture).poll(later);
  expect(idsOf(pages)).toEqual(before);
  expect((await drive(fixture).listIds(later)).toSorted()).toEqual(before.toSorted());
  const [first] = pages.flatMap(({ documents }) => documents);
  expect(first?.sections[0]?.link).toContain('/-/work_items/');
  const again = await drive(fixture).fetchAgain(later, [first?.id ?? '']);
  expect(again).toMatchObject([{ documents: [{ id: first?.id }], removed: [] }]);
});

test('issues disabled during the first run are read completely later, even if nothing else was enabled', async () => {
  await using fixture = await startFixture();
  await using first = openTestContext();
  fixture.state.issuesAccess = 'disabled';
  const more = { include_mrs: false };
  expect(idsOf(await drive(fixture).poll(first, more))).toEqual([]);
  fixture.state.issuesAccess = 'enabled';
  await using later = laterContext(first, SINCE);
  expect(idsOf(await drive(fixture).poll(later, more))).toHaveLength(7);
});

test('items last changed before the start of the first run are not read', async () => {
  await using fixture = await startFixture();
  const kept = fixture.put('Kept', 'Within.', AT);
  await using context = openTestContext({ since: SINCE });
  expect(idsOf(await drive(fixture).poll(context))).toEqual([kept]);
});

test.for([true, false])(
  'disabled issues are no error, and are read from the beginning when enabled again (access levels: %s)',
  async (hasAccessLevels) => {
    await using fixture = await startFixture();
    fixture.state.hasAccessLevels = hasAccessLevels;
    await using first = openTestContext();
    fixture.state.issuesAccess = 'disabled';
    await drive(fixture).check(first);
    expect(idsOf(await drive(fixture).poll(first))).toHaveLength(4);
    fixture.state.issuesAccess = 'enabled';
    await using later = laterContext(first, SINCE);
    expect(idsOf(await drive(fixture).poll(later))).toHaveLength(7);
  },
);

test.for([true, false])('files are read once per content (keyset paging: %s)', async (keyset) => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  const { files } = fixture.state;
  fixture.state.hasKeysetTree = keyset;
  for (let index = 0; index < 8; index += 1) files.set(`docs/${index}.md`, `File ${index}`);
  files.set('logo.png', 'png').set('big.txt', 'x'.repeat(1_000_001)).set('empty.txt', '');
  const more = { include_code_files: true, include_issues: false, include_mrs: false };
  const first = await drive(fixture).poll(context, more);
  expect(idsOf(first)).toHaveLength(8);
  expect(first.flatMap(({ failures }) => failures)).toEqual([]);
  expect(first.flatMap(({ skipped }) => skipped).map(({ reason }) => reason)).toEqual(
    expect.arrayContaining(['file too large', 'empty file', 'not a text file']),
  );
  files.set('docs/3.md', 'File three');
  fixture.server.requests.length = 0;
  const second = await drive(fixture).poll(context, more);
  expect(idsOf(second)).toEqual([`${WEB}/blob/main/docs/3.md`]);
  expect(second.flatMap(({ unchanged }) => unchanged)).toHaveLength(7);
  expect(second.flatMap(({ skipped }) => skipped)).toHaveLength(3);
  const blobs = fixture.server.requests.filter(({ url }) => url.pathname.includes('/blobs/'));
  expect(blobs).toHaveLength(1);
});

test('a listing that fails halfway throws', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  expect((await drive(fixture).listIds(context)).toSorted()).toEqual(fixture.ids().toSorted());
  fixture.server.fault = ({ url }) =>
    url.pathname.endsWith('/merge_requests') && url.searchParams.has('updated_after')
      ? { kind: 'status', status: 500 }
      : null;
  await expect(drive(fixture).listIds(context)).rejects.toThrow(SourceUnavailable);
});

test('settings that would index nothing or contain an unknown key are refused', async () => {
  await using fixture = await startFixture();
  const parse = (more: object) => drive(fixture).parsed(more);
  expect(() => parse({ include_issues: false, include_mrs: false })).toThrow('Nothing would be');
  expect(() => parse({ project: 'kitchen' })).toThrow('project');
});
