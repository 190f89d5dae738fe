// @module-tag database
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WorkspaceId } from '#src/ids.ts';
import { makeUnsubscribeToken } from '#src/outreach/unsubscribe-token.ts';
import type { Answer } from '#test/support/api-client.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

interface Tenant {
  workspaceId: WorkspaceId;
  call: (method: string, path: string, body?: unknown) => Promise<Answer>;
}

let millrace: TestMillrace;
let owner: Tenant;
let stranger: Tenant;

beforeAll(async () => {
  millrace = await startTestMillrace({ RATE_LIMIT_PER_MINUTE: '100000' });
  owner = await openTenant();
  stranger = await openTenant();
});
afterAll(() => millrace[Symbol.asyncDispose]());

async function openTenant(): Promise<Tenant> {
  const { workspaceId, key } = await millrace.createWorkspace();
  return {
    workspaceId: workspaceId as WorkspaceId, // came from the API
    call: (method, path, body) => millrace.call(method, path, body, { key }),
  };
}

const LIST = '/do-not-contact';
const values = async ({ call }: Tenant, query = ''): Promise<string[]> =>
  (await call('GET', `${LIST}${query}`)).body.do_not_contact.map(
    (entry: { value: string }) => entry.value,
  );

describe('a privacy request', () => {
  it.each<[string, unknown, string]>([
    ['nothing', {}, 'names nobody'],
    ['empty lists', { emails: [], domains: null }, 'names nobody'],
    ['no address', { emails: ['jane'] }, 'body.emails[0]'],
    ['a display name', { emails: ['Jane <jane@acme.example>'] }, 'body.emails[0]'],
    ['a line break', { emails: ['jane@acme.example\nbcc: x@y.example'] }, 'body.emails[0]'],
    ['a URL instead of a domain', { domains: ['https://acme.example/'] }, 'body.domains[0]'],
    ['a domain of one label', { domains: ['example'] }, 'body.domains[0]'],
    ['an unknown key', { emails: ['a@b.example'], phones: [] }, 'phones'],
    ['a string instead of a list', { emails: 'a@b.example' }, 'body.emails'],
    [
      'too many in total',
      {
        emails: Array.from({ length: 999 }, (_, n) => `u${n}@a.example`),
        domains: ['a.example', 'b.example'],
      },
      'more than 1000',
    ],
  ])('with %s is refused and does nothing', async (_, body, words) => {
    for (const path of [LIST, '/privacy/erase']) {
      const refused = await owner.call('POST', path, body);
      expect([refused.status, refused.body.error_code], path).toEqual([400, 'BAD_REQUEST']);
      expect(refused.body.detail).toContain(words);
    }
    expect(await values(owner)).toEqual([]);
  });

  it('with a note that cannot be stored is refused', async () => {
    const body = { emails: ['a@b.example'], note: 'a\0b' };
    expect((await owner.call('POST', LIST, body)).status).toBe(400);
  });
});

describe('the do-not-contact list', () => {
  it('takes each entry once, in lower case, and never changes it', async () => {
    const tenant = await openTenant();
    const first = await tenant.call('POST', LIST, {
      emails: ['Jane@ACME.example', 'jane@acme.example'],
      domains: ['XN--BCHER-KVA.example'],
      note: 'by phone',
    });
    expect(first.body.do_not_contact).toEqual([
      {
        id: expect.any(Number),
        kind: 'email',
        value: 'jane@acme.example',
        reason: 'manual',
        note: 'by phone',
        created_at: expect.any(String),
      },
      expect.objectContaining({ kind: 'domain', value: 'bücher.example' }),
    ]);
    const again = await tenant.call('POST', LIST, { emails: ['jane@acme.example'], note: 'x' });
    expect(again.body.do_not_contact).toEqual(first.body.do_not_contact.slice(0, 1));
  });

  it('is listed newest first, in pages and by kind and reason', async () => {
    const tenant = await openTenant();
    for (const n of [1, 2, 3, 4, 5]) {
      await tenant.call('POST', LIST, { emails: [`u${n}@acme.example`] });
    }
    await tenant.call('POST', '/privacy/erase', { domains: ['erased.example'] });
    const seen: string[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null && pages < 10; pages += 1) {
      const { body } = await tenant.call('GET', `${LIST}?limit=2${cursor && `&cursor=${cursor}`}`);
      expect(body.do_not_contact.length).toBeLessThanOrEqual(2);
      seen.push(...body.do_not_contact.map((entry: { value: string }) => entry.value));
      cursor = body.next_cursor;
    }
    const people = [5, 4, 3, 2, 1].map((n) => `u${n}@acme.example`);
    expect(seen).toEqual(['erased.example', ...people]);
    expect(await values(tenant, '?kind=domain')).toEqual(['erased.example']);
    expect(await values(tenant, '?reason=manual&limit=3')).toEqual(people.slice(0, 3));
    expect(await values(tenant, '?value=U4@acme.example')).toEqual(['u4@acme.example']);
    for (const query of ['?cursor=x', '?kind=phone', '?limit=0', '?page=2']) {
      expect((await tenant.call('GET', `${LIST}${query}`)).status, query).toBe(400);
    }
  });

  it('lets only its own workspace delete an entry', async () => {
    const { body } = await owner.call('POST', LIST, { emails: ['mine@acme.example'] });
    const { id } = body.do_not_contact[0];
    for (const path of [`${LIST}/${id}`, `${LIST}/0`, `${LIST}/x`, `${LIST}/${'9'.repeat(30)}`]) {
      expect((await stranger.call('DELETE', path)).body.error_code, path).toBe('NOT_FOUND');
    }
    expect(await values(stranger)).toEqual([]);
    expect((await owner.call('DELETE', `${LIST}/${id}`)).body).toEqual({ status: 'deleted', id });
    expect((await owner.call('DELETE', `${LIST}/${id}`)).status).toBe(404);
    expect(await values(owner)).toEqual([]);
  });

  it('is full at 100,000 for administrators, but never for people who unsubscribe', async () => {
    const tenant = await openTenant();
    const { db, unsubscribeSecrets } = millrace.services;
    await sql`insert into do_not_contact (workspace_id, kind, value, reason)
      select ${tenant.workspaceId}, 'email', 'u' || n || '@full.example', 'manual'
      from generate_series(1, 99999) n`.execute(db);
    const answers = await Promise.all(
      [1, 2, 3].map((n) => tenant.call('POST', LIST, { emails: [`new${n}@full.example`] })),
    );
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(['200', '409', '409']);
    const refused = await tenant.call('POST', '/privacy/erase', { emails: ['x@full.example'] });
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      expect.stringContaining('DELETE /do-not-contact'),
    ]);
    const known = await tenant.call('POST', LIST, { emails: ['u7@full.example'] });
    expect(known.status).toBe(200);
    const token = makeUnsubscribeToken(unsubscribeSecrets, {
      workspaceId: tenant.workspaceId,
      email: 'late@full.example',
    });
    expect((await post(token)).status).toBe(200);
    expect(await values(tenant, '?reason=unsubscribed')).toEqual(['late@full.example']);
  });
});

const post = (token: string, body?: BodyInit, headers: Record<string, string> = {}) =>
  fetch(`${millrace.url}/unsubscribe/${token}`, {
    method: 'POST',
    headers,
    ...(body !== undefined && { body }),
  });

describe('an unsubscribe link', () => {
  const tokenOf = ({ workspaceId }: Tenant, email: string) =>
    makeUnsubscribeToken(millrace.services.unsubscribeSecrets, { workspaceId, email });

  it('that was not issued here is unknown, whoever made it', async () => {
    const good = tokenOf(owner, 'jane@acme.example');
    const other = millrace.services.unsubscribeSecrets.seal(
      JSON.stringify({ w: owner.workspaceId, e: 'jane@acme.example' }),
      'credential:1',
    );
    const changed = good.replace(/.(?=.{10}$)/, (letter) => (letter === 'A' ? 'B' : 'A'));
    for (const token of ['x', 'v1.a.b.c', changed, good.slice(0, -4), good.slice(3), other]) {
      for (const answer of [
        await post(token),
        await fetch(`${millrace.url}/unsubscribe/${token}`),
      ]) {
        expect([answer.status, await answer.json()], token).toMatchObject([
          404,
          { error_code: 'NOT_FOUND' },
        ]);
      }
    }
    expect(await values(owner)).toEqual([]);
  });

  it('opens a page that changes nothing, loads nothing and contains no foreign markup', async () => {
    const token = tokenOf(owner, '"<img/src=x>"@acme.example');
    expect(token).toMatch(/^[\w.-]+$/);
    for (const method of ['GET', 'HEAD']) {
      const answer = await fetch(`${millrace.url}/unsubscribe/${token}`, { method });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const page = await answer.text();
      expect(page).not.toMatch(/<(?:img|script|link)|src=x>/);
      if (method === 'GET') expect(page).toContain('<form method="post">');
    }
    expect(await values(owner)).toEqual([]);
  });

  it.each<[string, BodyInit | undefined, Record<string, string>]>([
    ['one-click from a provider', new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }), {}],
    ['no body', undefined, {}],
    ['invalid JSON', '{', { 'content-type': 'application/json' }],
    ['a multipart form', new FormData(), {}],
    ['an unknown content type', 'x', { 'content-type': 'x/y; charset=latin1' }],
  ])('accepts %s, any number of times', async (_, body, headers) => {
    const tenant = await openTenant();
    const token = tokenOf(tenant, 'Jane@acme.example');
    const answers = [await post(token, body, headers), await post(token, body, headers)];
    for (const answer of answers) {
      expect([answer.status, await answer.text()]).toEqual([
        200,
        expect.stringContaining('unsubscribed'),
      ]);
    }
    const { body: list } = await tenant.call('GET', LIST);
    expect(list.do_not_contact).toMatchObject([
      { kind: 'email', value: 'jane@acme.example', reason: 'unsubscribed' },
    ]);
    expect(await values(stranger)).toEqual([]);
  });

  it('accepts no body above 10 KB', async () => {
    const answer = await post(tokenOf(owner, 'jane@acme.example'), 'x'.repeat(10_001));
    expect(answer.status).toBe(413);
    expect(await values(owner)).toEqual([]);
  });

  it('still answers when the workspace is gone', async () => {
    const workspaceId = randomUUID() as WorkspaceId; // of no workspace
    const email = 'jane@acme.example';
    const token = makeUnsubscribeToken(millrace.services.unsubscribeSecrets, {
      workspaceId,
      email,
    });
    expect((await post(token)).status).toBe(200);
  });
});
