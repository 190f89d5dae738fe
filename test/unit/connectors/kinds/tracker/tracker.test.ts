import { expect, test } from 'vitest';
import { startFixture } from '#test/fixtures/connectors/tracker.ts';
import { openTestContext } from '#test/support/connector-context.ts';
import {
  documentsOf,
  idsOf,
  listFixture,
  openFixture,
  pollFixture,
} from '#test/support/drive-connector.ts';

const DEPLOYMENTS = ['Cloud', 'Server'] as const;

test.each(DEPLOYMENTS)(
  '%s: every issue is yielded once, with a checkpoint after each page',
  async (deployment) => {
    await using fixture = await startFixture({ deployment });
    const pages = await pollFixture(fixture);
    expect(pages.length).toBeGreaterThanOrEqual(3);
    expect(idsOf(pages)).toEqual(fixture.ids());
    expect(pages.at(-1)?.estimatedTotal).toBe(8);
    expect(pages.at(-1)?.description).toBe('project ABC, 8 of 8 issues');
    for (const [index, { checkpoint }] of pages.entries()) {
      const rest = await pollFixture(fixture, {
        checkpoint: JSON.parse(JSON.stringify(checkpoint)),
      });
      expect(idsOf(rest)).toEqual(idsOf(pages.slice(index + 1)));
    }
  },
);

test.each(DEPLOYMENTS)(
  '%s: an issue edited between two pages hides no other',
  async (deployment) => {
    await using fixture = await startFixture({ deployment });
    const { connector, settings, credential } = openFixture(fixture);
    await using context = openTestContext();
    const seen: string[] = [];
    for await (const page of connector.poll(settings, credential, null, context.context)) {
      seen.push(...page.documents.map(({ id }) => id));
      if (seen.length === 3) {
        fixture.put('issue 1', 'Edited.', new Date(Date.UTC(2026, 1, 1)));
        fixture.put('issue 5', 'Edited.', new Date(Date.UTC(2026, 1, 2)));
        fixture.remove('issue 2');
      }
    }
    expect(new Set(seen)).toEqual(new Set([...fixture.ids(), seen[1]]));
  },
);

test.each(DEPLOYMENTS)(
  '%s: more issues than fit a page can change in one second',
  async (deployment) => {
    await using fixture = await startFixture({ deployment });
    fixture.fill(10, new Date(Date.UTC(2026, 3, 1)));
    expect(idsOf(await pollFixture(fixture))).toEqual(fixture.ids());
  },
);

test('an issue that leaves such a second between two pages hides no other', async () => {
  await using fixture = await startFixture({ deployment: 'Server' });
  fixture.fill(10, new Date(Date.UTC(2026, 3, 1)));
  const { connector, settings, credential } = openFixture(fixture);
  await using context = openTestContext();
  const seen: string[] = [];
  for await (const page of connector.poll(settings, credential, null, context.context)) {
    seen.push(...page.documents.map(({ id }) => id));
    if (seen.length === 14) fixture.put('filled 0', 'Edited.', new Date(Date.UTC(2026, 3, 2)));
  }
  expect(new Set(seen)).toEqual(new Set(fixture.ids()));
});

test('an expired page token is replaced by the time of the last issue', async () => {
  await using fixture = await startFixture();
  fixture.fill(10, new Date(Date.UTC(2026, 3, 1)));
  const pages = await pollFixture(fixture);
  const inToken = pages.findIndex(({ checkpoint }) => JSON.stringify(checkpoint).includes('token'));
  expect(inToken).toBeGreaterThan(0);
  fixture.store.expireTokens();
  const rest = await pollFixture(fixture, { checkpoint: pages[inToken]?.checkpoint });
  expect(new Set([...idsOf(pages.slice(0, inToken + 1)), ...idsOf(rest)])).toEqual(
    new Set(fixture.ids()),
  );
});

test.each(DEPLOYMENTS)(
  '%s: an incremental poll asks in milliseconds, independent of time zones',
  async (deployment) => {
    await using fixture = await startFixture({ deployment });
    const since = new Date(Date.UTC(2026, 0, 6));
    expect(idsOf(await pollFixture(fixture, { since }))).toEqual(fixture.ids().slice(5));
    const bodies = fixture.server.requests.map(({ body }) => body).join();
    expect(bodies).toContain(`updated >= ${since.getTime()}`);
    expect(idsOf(await pollFixture(fixture, { since: new Date(Date.UTC(2026, 5, 1)) }))).toEqual(
      [],
    );
  },
);

test('an issue is one document with all of its comments except those of the blacklist', async () => {
  await using fixture = await startFixture();
  const issue = fixture.store.get('issue 1');
  const comment = (id: number, mail: string): object => ({
    id: String(id),
    author: { displayName: `Author ${id}`, emailAddress: mail },
    body: {
      type: 'doc',
      version: 1,
      content: [{ type: 'paragraph', content: [{ type: 'text', text: `Comment ${id}` }] }],
    },
    created: '2026-02-03T04:05:06.000+0000',
  });
  for (let id = 1; id <= 8; id += 1) {
    issue.comments.push(
      comment(id, id === 4 ? 'Bot@Example.com' : 'ann@example.com') as Record<string, unknown>,
    );
  }
  issue.fields['labels'] = ['red', 'green'];
  issue.fields['assignee'] = { displayName: 'Ann' };
  const [document] = documentsOf(
    await pollFixture(fixture, { settings: { comment_email_blacklist: ['bot@EXAMPLE.com'] } }),
  );
  const link = `${fixture.server.url}/browse/ABC-1`;
  expect(document).toMatchObject({
    id: link,
    semanticIdentifier: 'ABC-1: issue 1',
    updatedAt: new Date(Date.UTC(2026, 0, 1)),
    primaryOwners: [{ display_name: 'Rita Reporter', email: 'rita@example.com' }],
    secondaryOwners: [{ display_name: 'Ann' }],
  });
  expect(document?.sections[0]).toEqual({ text: 'Text of issue 1.', link });
  expect(document?.sections[1]).toEqual({
    text: 'Comment by Author 1 on 2026-02-03:\n\nComment 1',
    link: `${link}?focusedCommentId=1`,
  });
  expect(document?.sections.map(({ link: of }) => of?.split('=')[1])).toEqual([
    undefined,
    '1',
    '2',
    '3',
    '5',
    '6',
    '7',
    '8',
  ]);
  expect(document?.metadata).toEqual({
    key: 'ABC-1',
    project: 'ABC',
    project_name: 'Alphabet',
    issuetype: 'Bug',
    status: 'Open',
    priority: 'High',
    labels: ['red', 'green'],
    assignee: 'Ann',
    reporter: 'Rita Reporter',
    created: '2025-12-01T09:00:00.000+0100',
  });
});

test('an issue without description and comments is indexed by its summary', async () => {
  await using fixture = await startFixture();
  fixture.store.get('issue 2').fields['description'] = null;
  const document = documentsOf(await pollFixture(fixture)).find(({ id }) => id.endsWith('ABC-2'));
  expect(document?.sections.map(({ text }) => text)).toEqual(['issue 2']);
});

test('unreadable issues and issues that lose their comments fail alone, and labels to skip are counted', async () => {
  await using fixture = await startFixture();
  const { store, server } = fixture;
  store.get('issue 1').fields['description'] = { type: 'hologram' };
  store.get('issue 2').fields['labels'] = 'not a list';
  store.get('issue 3').fields['labels'] = ['secret'];
  store.get('issue 4').comments.push(...Array.from({ length: 3 }, (_, id) => ({ id: String(id) })));
  server.fault = ({ url }) =>
    url.pathname.endsWith('/ABC-4/comment')
      ? { kind: 'status', status: 403, body: { errorMessages: ['No comments for you.'] } }
      : null;
  const pages = await pollFixture(fixture, { settings: { labels_to_skip: ['secret'] } });
  const failures = pages.flatMap((page) => page.failures);
  expect(failures.map(({ documentId }) => documentId)).toEqual(
    fixture.ids().filter((_, index) => [0, 1, 3].includes(index)),
  );
  expect(failures[0]?.reason).toContain('text of the issue could not be read');
  expect(failures[1]?.reason).toContain('labels');
  expect(failures[2]?.reason).toContain('No comments for you.');
  expect(pages.flatMap(({ skipped }) => skipped)).toEqual([
    { documentId: fixture.ids()[2], reason: 'has a label to skip' },
  ]);
  expect(documentsOf(pages)).toHaveLength(4);
  expect(await listFixture(fixture, { labels_to_skip: ['secret'] })).not.toContain(
    fixture.ids()[2],
  );
});

test('an item without a key is one failure and stops nothing', async () => {
  await using fixture = await startFixture({ deployment: 'Server' });
  for (const issue of ['issue 1', 'issue 2', 'issue 3'])
    fixture.store.get(issue).key = 7 as unknown as string;
  const pages = await pollFixture(fixture);
  expect(pages.flatMap(({ failures }) => failures)).toHaveLength(3);
  expect(documentsOf(pages)).toHaveLength(5);
  await expect(listFixture(fixture)).rejects.toThrow('without its key');
});
