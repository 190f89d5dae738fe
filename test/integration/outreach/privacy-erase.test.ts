// @module-tag smoke
// @module-tag database
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

interface Tenant {
  workspaceId: string;
  key: string;
  scrapeId: string;
  accountId: string;
}

let millrace: TestMillrace;
beforeAll(async () => {
  millrace = await startTestMillrace();
});
afterAll(() => millrace[Symbol.asyncDispose]());

async function openTenant(): Promise<Tenant> {
  const { db } = millrace.services;
  const { workspaceId, key } = await millrace.createWorkspace();
  const [scrapeId, accountId] = [randomUUID(), randomUUID()];
  await sql`insert into lead_scrape (id, workspace_id, mode, query, max_results, enrichment,
      share_key, status, finished_at)
    values (${scrapeId}, ${workspaceId}, 'keyword_search', 'mills', 5, '{}', '', 'completed', now())`.execute(
    db,
  );
  await sql`insert into email_account (id, workspace_id, email, smtp_host, smtp_port, smtp_user,
      smtp_password, verification_token)
    values (${accountId}, ${workspaceId}, 'me@own.example', 'smtp.own.example', 587, 'me', '', '')`.execute(
    db,
  );
  return { workspaceId, key, scrapeId, accountId };
}

interface LeadFields {
  kind?: 'person' | 'organization';
  emails?: string[];
  domains?: string[];
  website?: string;
  description?: string;
}

async function insertLead(
  { workspaceId, scrapeId }: Tenant,
  name: string,
  { kind = 'person', emails = [], domains = [], website = '', description = '' }: LeadFields,
): Promise<void> {
  const evidence = [{ url: 'https://acme.example/', technique: 'mailto' }];
  const details = {
    kind,
    emails: emails.map((value) => ({ value, evidence })),
    description: { value: description, evidence },
    emailStatus: 'mx',
  };
  await sql`insert into lead (id, workspace_id, lead_scrape_id, site_ordinal, kind, name, email,
      website, confidence_score, email_status, emails, domains, details, rank)
    values (${randomUUID()}, ${workspaceId}, ${scrapeId}, 0, ${kind}, ${name}, ${emails[0] ?? ''},
      ${website}, 0.5, 'mx', ${emails}::text[], ${domains}::text[], ${JSON.stringify(details)}, 0)`.execute(
    millrace.services.db,
  );
}

interface StoredLead {
  name: string;
  email: string;
  email_status: string | null;
  emails: string[];
  details: { emails: { value: string }[]; emailStatus: string | null };
}

async function leadsOf({ workspaceId }: Tenant): Promise<StoredLead[]> {
  const { rows } = await sql<StoredLead>`
    select name, email, email_status, emails, details from lead
    where workspace_id = ${workspaceId} order by name`.execute(millrace.services.db);
  return rows;
}

const namesOf = async (tenant: Tenant): Promise<string[]> =>
  (await leadsOf(tenant)).map(({ name }) => name);

async function insertMessage(
  { workspaceId, accountId }: Tenant,
  recipient: string,
  status: 'sent' | 'failed' | 'unknown' | 'queued',
  kind: 'message' | 'verification' = 'message',
): Promise<void> {
  await sql`insert into email_message (id, workspace_id, email_account_id, kind, status, recipient,
      subject, text_body, html_body, reply_to, settings_revision, finished_at)
    values (${randomUUID()}, ${workspaceId}, ${accountId}, ${kind}, ${status}, ${recipient}, 'Hello',
      'Text', '<p>', 'me@own.example', 1, ${status === 'queued' ? null : sql`now()`})`.execute(
    millrace.services.db,
  );
}

async function messagesOf({ workspaceId }: Tenant): Promise<[string, string | null][]> {
  const { rows } = await sql<{ recipient: string; content: string | null }>`
    select recipient, coalesce(subject, text_body, html_body, reply_to) as content from email_message
    where workspace_id = ${workspaceId} order by recipient, status`.execute(millrace.services.db);
  return rows.map(({ recipient, content }) => [recipient, content]);
}

const erase = async ({ key }: Tenant, body: object) =>
  (await millrace.call('POST', '/privacy/erase', body, { key })).body;

describe('an erasure by address', () => {
  it('deletes people who have it, and removes it from organisations that have others', async () => {
    const [tenant, stranger] = [await openTenant(), await openTenant()];
    for (const one of [tenant, stranger]) {
      await insertLead(one, 'A Jane', { emails: ['jane@acme.example', 'j@home.example'] });
      await insertLead(one, 'B John', { emails: ['john@acme.example'] });
      const org = { kind: 'organization' } as const;
      await insertLead(one, 'C Acme', {
        ...org,
        emails: ['jane@acme.example', 'info@acme.example'],
      });
      await insertLead(one, 'D Acme', { ...org, emails: ['info@acme.example', 'j@home.example'] });
      await insertLead(one, 'E Only', { ...org, emails: ['jane@acme.example'] });
      await insertLead(one, 'F Told', {
        ...org,
        emails: ['j@home.example', 'info@acme.example'],
        description: 'Write to J@Home.example',
      });
    }
    const before = await leadsOf(stranger);
    expect(await erase(tenant, { emails: ['JANE@acme.example', 'j@home.example'] })).toEqual({
      leads_deleted: 5,
      messages_redacted: 0,
      do_not_contact: 2,
    });
    const left = await leadsOf(tenant);
    expect(
      left.map(({ name, email, email_status, emails }) => [name, email, email_status, emails]),
    ).toEqual([
      ['B John', 'john@acme.example', 'mx', ['john@acme.example']],
      ['C Acme', 'info@acme.example', null, ['info@acme.example']],
      ['D Acme', 'info@acme.example', 'mx', ['info@acme.example']],
    ]);
    expect(left.map(({ details }) => details.emails.map(({ value }) => value))).toEqual([
      ['john@acme.example'],
      ['info@acme.example'],
      ['info@acme.example'],
    ]);
    expect(left.map(({ details }) => details.emailStatus)).toEqual(['mx', null, 'mx']);
    expect(await leadsOf(stranger)).toEqual(before);
  });
});

describe('an erasure by domain', () => {
  it('matches addresses, websites and subdomains, but not names with the same ending', async () => {
    const [tenant, stranger] = [await openTenant(), await openTenant()];
    for (const one of [tenant, stranger]) {
      const org = { kind: 'organization' } as const;
      await insertLead(one, 'A', { emails: ['a@x.acme.example'], domains: ['other.example'] });
      await insertLead(one, 'B', { ...org, domains: ['acme.example'] });
      await insertLead(one, 'C', { website: 'https://shop.acme.example:8443/x' });
      await insertLead(one, 'D', { ...org, emails: ['d@acme.example', 'd@other.example'] });
      await insertLead(one, 'E', { emails: ['e@notacme.example'], domains: ['notacme.example'] });
      await insertLead(one, 'F', { website: 'https://other.example/acme.example' });
      await insertLead(one, 'G', { emails: ['g@acme.example.other.example'] });
    }
    expect(await erase(tenant, { domains: ['ACME.example'], do_not_contact: false })).toEqual({
      leads_deleted: 4,
      messages_redacted: 0,
      do_not_contact: 0,
    });
    expect(await namesOf(tenant)).toEqual(['E', 'F', 'G']);
    expect(await namesOf(stranger)).toHaveLength(7);
  });

  it('of a subdomain spares the rest of the domain', async () => {
    const tenant = await openTenant();
    await insertLead(tenant, 'A', { emails: ['a@x.acme.example'], domains: ['acme.example'] });
    await insertLead(tenant, 'B', { emails: ['b@acme.example'], domains: ['acme.example'] });
    await insertLead(tenant, 'C', { website: 'http://X.acme.example', domains: ['acme.example'] });
    await erase(tenant, { domains: ['x.acme.example'] });
    expect(await namesOf(tenant)).toEqual(['B']);
  });
});

describe('an erasure of messages', () => {
  it('clears finished messages, counts each once and touches nothing else', async () => {
    const [tenant, stranger] = [await openTenant(), await openTenant()];
    for (const one of [tenant, stranger]) {
      await insertMessage(one, 'Jane@acme.example', 'sent');
      await insertMessage(one, 'john@sub.firm.example', 'failed');
      await insertMessage(one, 'jim@firm.example', 'unknown');
      await insertMessage(one, 'jane@acme.example', 'queued');
      await insertMessage(one, 'me@firm.example', 'sent', 'verification');
      await insertMessage(one, 'other@acme.example', 'sent');
    }
    const before = await messagesOf(stranger);
    const whom = { emails: ['jane@acme.example'], domains: ['firm.example'] };
    expect(await erase(tenant, whom)).toMatchObject({ messages_redacted: 4, do_not_contact: 2 });
    expect(await messagesOf(tenant)).toEqual([
      ['', null],
      ['', null],
      ['', null],
      ['', null],
      ['jane@acme.example', 'Hello'],
      ['other@acme.example', 'Hello'],
    ]);
    expect(await erase(tenant, whom)).toMatchObject({ messages_redacted: 0, do_not_contact: 2 });
    expect(await messagesOf(stranger)).toEqual(before);
  });
});

it('two concurrent erasures of the same data both finish, and each row is deleted once', async () => {
  const tenant = await openTenant();
  for (let n = 0; n < 30; n += 1) {
    await insertLead(tenant, `L${n}`, { emails: [`u${n}@acme.example`, 'all@acme.example'] });
    await insertMessage(tenant, 'all@acme.example', 'sent');
  }
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      erase(tenant, n % 2 ? { domains: ['acme.example'] } : { emails: ['all@acme.example'] }),
    ),
  );
  const sum = (field: string): number =>
    answers.reduce((total, answer) => total + answer[field], 0);
  expect([sum('leads_deleted'), sum('messages_redacted')]).toEqual([30, 30]);
});
