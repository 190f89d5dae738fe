import { expect, test } from 'vitest';
import {
  CONFLUENCE_CREDENTIAL,
  CONFLUENCE_SETTINGS,
} from '#src/connectors/kinds/confluence/confluence-settings.ts';
import { CredentialRejected, SourceRefused } from '#src/connectors/source/source-errors.ts';
import { startFixture } from '#test/fixtures/connectors/confluence.ts';
import { openTestContext } from '#test/support/connector-context.ts';
import {
  checkFixture,
  idsOf,
  listFixture,
  openFixture,
  pollFixture,
} from '#test/support/drive-connector.ts';

const DEPLOYMENTS = ['Cloud', 'Server'] as const;

test.each(DEPLOYMENTS)(
  '%s: the check explains a wrong space, page or query',
  async (deployment) => {
    await using fixture = await startFixture({ deployment });
    await checkFixture(fixture);
    await expect(checkFixture(fixture, { space: 'XYZ' })).rejects.toThrow('XYZ');
    await expect(checkFixture(fixture, { space: 'XYZ' })).rejects.toThrow(SourceRefused);
    await expect(checkFixture(fixture, { page_id: '99999' })).rejects.toThrow(
      'no page with the id 99999',
    );
    await expect(checkFixture(fixture, { cql_query: 'colour ~~ red' })).rejects.toThrow(
      'Could not parse cql',
    );
  },
);

test.each([
  ['Cloud', false],
  ['Cloud', true],
  ['Server', true],
] as const)(
  '%s: a rejected token is not treated as an empty source (silent: %s)',
  async (deployment, isSilent) => {
    await using fixture = await startFixture({ deployment });
    fixture.isSilent = isSilent;
    fixture.expireCredential?.();
    await expect(checkFixture(fixture)).rejects.toThrow(CredentialRejected);
    await expect(pollFixture(fixture)).rejects.toThrow(CredentialRejected);
    await expect(listFixture(fixture)).rejects.toThrow(CredentialRejected);
  },
);

test('a token revoked between two pages of a listing makes the listing fail', async () => {
  await using fixture = await startFixture();
  fixture.isSilent = true;
  const { connector, settings, credential } = openFixture(fixture);
  await using context = openTestContext();
  const listing = async (): Promise<void> => {
    const ids: string[] = [];
    for await (const some of connector.listIds(settings, credential, context.context)) {
      ids.push(...some);
      fixture.expireCredential?.();
    }
    expect(ids).toEqual(fixture.ids());
  };
  await expect(listing()).rejects.toThrow(CredentialRejected);
});

test('Cloud without a user name reports what is missing', async () => {
  await using fixture = await startFixture();
  const { connector, settings } = openFixture(fixture);
  await using context = openTestContext();
  const credential = connector.credential.parse({ confluence_access_token: 'x' });
  await expect(connector.check(settings, credential, context.context)).rejects.toThrow(
    'confluence_username',
  );
});

test('a scoped token uses the gateway, while links still lead to the site', async () => {
  await using fixture = await startFixture({ isScoped: true });
  await checkFixture(fixture);
  expect(idsOf(await pollFixture(fixture))).toEqual(fixture.ids());
  expect(await listFixture(fixture)).toEqual(fixture.ids());
});

test.each(DEPLOYMENTS)('%s: all ids are listed, however many there are', async (deployment) => {
  await using fixture = await startFixture({ deployment });
  fixture.fill(1_000, new Date(Date.UTC(2026, 3, 1)));
  expect((await listFixture(fixture)).toSorted()).toEqual(fixture.ids().toSorted());
});

test('a result without an id fails alone in a poll, and stops a listing', async () => {
  await using fixture = await startFixture();
  fixture.store.get('page 8').id = 8 as unknown as string;
  const pages = await pollFixture(fixture);
  expect(pages.flatMap(({ failures }) => failures.map(({ reason }) => reason))).toEqual([
    expect.stringContaining('could not be read'),
  ]);
  expect(idsOf(pages)).toHaveLength(7);
  await expect(listFixture(fixture)).rejects.toThrow('without its id');
});

test.each([
  ['https://x.atlassian.net', true, 'https://x.atlassian.net/wiki'],
  ['x.atlassian.net/wiki/', true, 'https://x.atlassian.net/wiki'],
  ['https://x.atlassian.net/wiki/spaces/ABC/overview', true, 'https://x.atlassian.net/wiki'],
  [
    'https://wiki.example.com:8443/confluence/display/ABC/Home',
    false,
    'https://wiki.example.com:8443/confluence',
  ],
  ['https://wiki.example.com/pages/viewpage.action?pageId=1', false, 'https://wiki.example.com'],
  ['https://wiki.example.com/', false, 'https://wiki.example.com'],
])('%s (cloud: %s) is read as the wiki %s', (wiki_base, is_cloud, root) => {
  expect(CONFLUENCE_SETTINGS.parse({ wiki_base, is_cloud })).toMatchObject({ root });
});

test('invalid settings name the field', () => {
  const problems = (settings: object): string[] =>
    CONFLUENCE_SETTINGS.safeParse(settings).error?.issues.map(
      (issue) => `${issue.path.join('.')}: ${issue.message}`,
    ) ?? [];
  expect(problems({ is_cloud: true })[0]).toMatch(/^wiki_base: /);
  expect(problems({ wiki_base: 'a.net' })[0]).toMatch(/^is_cloud: /);
  expect(problems({ wiki_base: 'ftp://a', is_cloud: true })[0]).toMatch(
    /^wiki_base: is not a web address/,
  );
  expect(problems({ wiki_base: 'a.net', is_cloud: true, page_id: '1 or 1=1' })[0]).toMatch(
    /^page_id: /,
  );
  expect(problems({ wiki_base: 'a.net', is_cloud: true, spaces: 'x' })[0]).toContain('spaces');
  expect(
    CONFLUENCE_CREDENTIAL.safeParse({ confluence_username: 'a' }).error?.issues[0]?.path,
  ).toEqual(['confluence_access_token']);
});
