import { expect, test } from 'vitest';
import { githubApiBase } from '#src/connectors/kinds/github/github-api.ts';
import {
  CredentialRejected,
  SourceRefused,
  SourceUnavailable,
} from '#src/connectors/source/source-errors.ts';
import { startFixture } from '#test/fixtures/connectors/github.ts';
import { openTestContext } from '#test/support/connector-context.ts';
import { driverOf, faultOnce, idsOf } from '#test/support/poll-fixture.ts';

test('an exhausted primary limit is waited for, and is not a rejected credential', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  const reset = Math.floor(Date.now() / 1_000) + 20;
  fixture.server.fault = faultOnce((path) => path.endsWith('/issues'), {
    kind: 'status',
    status: 403,
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) },
    body: { message: 'API rate limit exceeded for user ID 1.' },
  });
  const pages = await driverOf(fixture).poll(context);
  expect(idsOf(pages)).toHaveLength(fixture.ids().length);
  expect(context.waits.some((ms) => ms > 15_000 && ms <= 22_000)).toBe(true);
});

test('a secondary limit without a time waits a minute, and a long one ends the run until later', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  const message = 'You have exceeded a secondary rate limit. Please wait a few minutes.';
  const body = { message };
  const isList = (path: string) => path.endsWith('/issues');
  fixture.server.fault = faultOnce(isList, { kind: 'status', status: 403, body });
  await driverOf(fixture).poll(context);
  expect(context.waits).toContain(60_000);
  const headers = { 'retry-after': '1800' };
  fixture.server.fault = faultOnce(isList, { kind: 'status', status: 429, headers, body });
  const failed = await driverOf(fixture)
    .poll(context)
    .catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(SourceUnavailable);
  expect(failed).toMatchObject({ retryAfterMs: 1_800_000 });
});

test('missing single sign-on is a rejected credential, with the address to authorize the token', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  const url = 'https://github.com/orgs/acme/sso?authorization_request=A1';
  fixture.server.fault = () => ({
    kind: 'status',
    status: 403,
    headers: { 'x-github-sso': `required; url=${url}` },
    body: { message: 'Resource protected by organization SAML enforcement.' },
  });
  const check = driverOf(fixture).check(context);
  await expect(check).rejects.toThrow(CredentialRejected);
  await expect(check).rejects.toThrow(url);
});

test('the check passes, and names a missing repository, branch or owner and an invalid token', async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  const check = (more: object) => driverOf(fixture).check(context, more);
  await check({});
  await check({ repositories: 'kitchen, garden', include_files: true });
  await expect(check({ repositories: 'attic' })).rejects.toThrow(
    'The repository acme/attic does not exist, or the token cannot see it.',
  );
  fixture.kitchen.files.set('README.md', '# Kitchen');
  const branch = { repositories: 'kitchen', include_files: true, branch: 'next' };
  await expect(check(branch)).rejects.toThrow('There is no branch next in acme/kitchen.');
  await expect(check({ repo_owner: 'nobody' })).rejects.toThrow(SourceRefused);
  fixture.expireCredential?.();
  await expect(check({})).rejects.toThrow(CredentialRejected);
  await expect(check({})).rejects.toThrow('Bad credentials');
});

test("a user's own private repositories are listed", async () => {
  await using fixture = await startFixture();
  await using context = openTestContext();
  fixture.state.ownerType = 'User';
  expect(idsOf(await driverOf(fixture).poll(context))).toHaveLength(fixture.ids().length);
});

test('the API of each edition is derived from its web address', () => {
  expect(githubApiBase(null, 'https://api.github.com')).toBe('https://api.github.com');
  const base = (url: string) => githubApiBase(url, 'https://api.github.com');
  expect(base('https://github.com/')).toBe('https://api.github.com');
  expect(base('https://git.acme.example/')).toBe('https://git.acme.example/api/v3');
  expect(base('https://git.acme.example/api/v3')).toBe('https://git.acme.example/api/v3');
  expect(base('https://acme.ghe.com')).toBe('https://api.acme.ghe.com');
});

test('settings that would index nothing or contain an unknown key are refused', async () => {
  await using fixture = await startFixture();
  const parse = (more: object) => driverOf(fixture).parsed(more);
  expect(() => parse({ include_issues: false, include_prs: false })).toThrow('Nothing would be');
  expect(() => parse({ repos: 'kitchen' })).toThrow('repos');
});
