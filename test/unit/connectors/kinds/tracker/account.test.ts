import { expect, test } from 'vitest';
import { CredentialRejected, SourceRefused } from '#src/connectors/source/source-errors.ts';
import { startFixture } from '#test/fixtures/connectors/tracker.ts';
import { collectPages, openTestContext } from '#test/support/connector-context.ts';
import {
  checkFixture,
  fetchFixtureAgain,
  idsOf,
  listFixture,
  openFixture,
  pollFixture,
} from '#test/support/drive-connector.ts';
import { startFakeSource } from '#test/support/fake-source.ts';

const DEPLOYMENTS = ['Cloud', 'Server'] as const;

test('the check repeats what Jira says about a missing project or an invalid query', async () => {
  await using fixture = await startFixture();
  await checkFixture(fixture);
  await expect(checkFixture(fixture, { project_key: 'XYZ' })).rejects.toThrow(
    "No project could be found with key 'XYZ'.",
  );
  const wrong = checkFixture(fixture, { jql_query: 'colour ~~ red' });
  await expect(wrong).rejects.toThrow(SourceRefused);
  await expect(wrong).rejects.toThrow('Error in the JQL Query');
  await expect(pollFixture(fixture, { settings: { project_key: 'XYZ' } })).rejects.toThrow(
    "The value 'XYZ' does not exist for the field 'project'.",
  );
});

test('a query overrides the project, but not our sort order', async () => {
  await using fixture = await startFixture();
  fixture.store.get('issue 7').fields['labels'] = ['red'];
  const settings = { project_key: 'XYZ', jql_query: 'labels = red ORDER BY rank DESC' };
  await checkFixture(fixture, settings);
  expect(idsOf(await pollFixture(fixture, { settings }))).toEqual([fixture.ids()[6]]);
});

test('without project and query everything is indexed, with a query that Cloud accepts', async () => {
  await using fixture = await startFixture();
  expect(idsOf(await pollFixture(fixture, { settings: { project_key: null } }))).toEqual(
    fixture.ids(),
  );
});

test.each(DEPLOYMENTS)(
  '%s: a rejected token, even a silent one, is not treated as an empty source',
  async (deployment) => {
    await using fixture = await startFixture({ deployment });
    fixture.expireCredential?.();
    await expect(checkFixture(fixture)).rejects.toThrow(CredentialRejected);
    await expect(pollFixture(fixture)).rejects.toThrow(CredentialRejected);
    await expect(listFixture(fixture)).rejects.toThrow(CredentialRejected);
  },
);

test.each([true, false])(
  'a token revoked between two pages makes the poll fail (silent: %s)',
  async (isSilent) => {
    await using fixture = await startFixture();
    fixture.isSilent = isSilent;
    const { connector, settings, credential } = openFixture(fixture);
    await using context = openTestContext();
    const polling = async (): Promise<void> => {
      for await (const page of connector.poll(settings, credential, null, context.context)) {
        expect(page.documents.length).toBe(3);
        fixture.expireCredential?.();
      }
    };
    await expect(polling()).rejects.toThrow(CredentialRejected);
  },
);

test('a CAPTCHA of an old Data Center is a rejected credential, but another 403 is not', async () => {
  await using fixture = await startFixture({ deployment: 'Server' });
  fixture.server.fault = () => ({
    kind: 'status',
    status: 403,
    headers: {
      'x-seraph-loginreason': 'AUTHENTICATION_DENIED',
      'x-authentication-denied-reason': 'CAPTCHA_CHALLENGE',
    },
  });
  await expect(checkFixture(fixture)).rejects.toThrow('AUTHENTICATION_DENIED');
  await expect(checkFixture(fixture)).rejects.toThrow(CredentialRejected);
  fixture.server.fault = () => ({
    kind: 'status',
    status: 403,
    body: { errorMessages: ['Not today.'] },
  });
  await expect(checkFixture(fixture)).rejects.toThrow(SourceRefused);
  await expect(checkFixture(fixture)).rejects.toThrow('Not today.');
});

test('Cloud without an e-mail address reports what is missing', async () => {
  await using fixture = await startFixture();
  const { connector, settings } = openFixture(fixture);
  await using context = openTestContext();
  const credential = connector.credential.parse({ tracker_api_token: 'x' });
  await expect(connector.check(settings, credential, context.context)).rejects.toThrow(
    'jira_user_email',
  );
});

test('a scoped token uses the gateway, while links still lead to the site', async () => {
  await using fixture = await startFixture({ isScoped: true });
  await checkFixture(fixture);
  expect(idsOf(await pollFixture(fixture))).toEqual(fixture.ids());
  expect(await listFixture(fixture)).toEqual(fixture.ids());
});

test('a limit without Retry-After waits until its reset', async () => {
  await using fixture = await startFixture();
  const { connector, settings, credential } = openFixture(fixture);
  await using context = openTestContext();
  const reset = new Date(Date.now() + 20_000).toISOString();
  let isLimited = true;
  fixture.server.fault = () => {
    const fault = isLimited
      ? { kind: 'status' as const, status: 429, headers: { 'x-ratelimit-reset': reset } }
      : null;
    isLimited = false;
    return fault;
  };
  await connector.check(settings, credential, context.context);
  expect(context.waits).toHaveLength(1);
  expect(context.waits[0]).toBeGreaterThan(15_000);
});

test.each(DEPLOYMENTS)('%s: all ids are listed, however many there are', async (deployment) => {
  await using fixture = await startFixture({ deployment });
  fixture.fill(2_500, new Date(Date.UTC(2026, 3, 1)));
  expect(await listFixture(fixture)).toEqual(fixture.ids());
});

test('failed issues are fetched again one by one, and missing or moved ones are removed', async () => {
  await using fixture = await startFixture();
  const [first = '', second = '', third = ''] = fixture.ids();
  fixture.remove('issue 2');
  fixture.server.fault = ({ url }) =>
    url.pathname.endsWith('/issue/ABC-3')
      ? {
          kind: 'status',
          status: 200,
          body: { id: '9', key: 'NEW-1', fields: { summary: 'moved' } },
        }
      : null;
  const pages = await fetchFixtureAgain(fixture, [
    first,
    second,
    third,
    'https://elsewhere.example/x',
  ]);
  expect(idsOf(pages)).toEqual([first, `${fixture.server.url}/browse/NEW-1`]);
  expect(pages.flatMap(({ removed }) => removed).toSorted()).toEqual(
    [second, third, 'https://elsewhere.example/x'].toSorted(),
  );
});

test('an aborted poll ends with the reason, even during an answer', async () => {
  const abort = new AbortController();
  await using slow = await startFakeSource(async ({ url }) => {
    if (url.pathname.endsWith('serverInfo')) return { body: { deploymentType: 'Server' } };
    abort.abort(new Error('The run was stopped.'));
    return new Promise(() => undefined);
  });
  await using fixture = await startFixture();
  const { connector } = openFixture(fixture);
  await using context = openTestContext({ signal: abort.signal });
  const settings = connector.settings.parse({ jira_base_url: slow.url });
  const credential = connector.credential.parse({ jira_api_token: 'x' });
  await expect(
    collectPages(connector.poll(settings, credential, null, context.context)),
  ).rejects.toThrow('The run was stopped.');
});
