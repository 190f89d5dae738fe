import { expect } from 'vitest';
import { sql } from 'kysely';
import type { EmailAccountId, UserId, WorkspaceId } from '#src/ids.ts';
import type { DnsClient } from '#src/platform/dns.ts';
import type { Answer } from './api-client.ts';
import { createFakeMailer, type FakeMailer } from './fake-mailer.ts';
import { ownerOf } from './seed-workspace.ts';
import { startTestMillrace, type TestMillrace } from './test-millrace.ts';

/** A public address, so that no test makes DNS lookups; nothing is ever sent to it. */
export const SMTP_HOST = '93.184.216.34';
export const PASSWORD = 'correct horse battery staple';

/** A Millrace whose mail is not sent. */
export interface EmailStage extends AsyncDisposable {
  readonly millrace: TestMillrace;
  readonly mailer: FakeMailer;
  openTenant(plan?: string): Promise<EmailTenant>;
}

/** A new workspace and the actions of a test in it. */
export interface EmailTenant {
  readonly workspaceId: WorkspaceId;
  readonly userId: UserId;
  readonly key: string;
  call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer>;
  createAccount: (fields?: object) => Promise<Answer['body']>;
  /** An account verified without sending a message. */
  verifiedAccount: (fields?: object) => Promise<EmailAccountId>;
  account: (id: string) => Promise<Answer['body']>;
}

export async function startEmailStage(overrides: Record<string, string> = {}): Promise<EmailStage> {
  const millrace = await startTestMillrace({ RATE_LIMIT_PER_MINUTE: '1000000', ...overrides });
  const mailer = createFakeMailer();
  // The API and the workers read these on each use.
  Object.assign(millrace.services, { mailer, dns: silentDns });
  return {
    millrace,
    mailer,
    openTenant: (plan) => openTenant(millrace, plan),
    [Symbol.asyncDispose]: () => millrace[Symbol.asyncDispose](),
  };
}

/** Finds no DNS records. */
export const silentDns: DnsClient = {
  mx: () => Promise.resolve({ kind: 'none' }),
  txt: () => Promise.resolve({ kind: 'none' }),
  addresses: () => Promise.resolve({ kind: 'none' }),
};

async function openTenant(millrace: TestMillrace, plan?: string): Promise<EmailTenant> {
  const { db } = millrace.services;
  const made = await millrace.createWorkspace(plan);
  const call: EmailTenant['call'] = (method, path, body, headers = {}) =>
    millrace.call(method, path, body, { key: made.key, headers });
  const createAccount = async (fields: object = {}): Promise<Answer['body']> => {
    const { status, body } = await call('POST', '/email-accounts', {
      email: 'sender@acme.example',
      smtp_host: SMTP_HOST,
      smtp_password: PASSWORD,
      ...fields,
    });
    expect([status, body.detail]).toEqual([200, undefined]);
    return body;
  };
  return {
    workspaceId: made.workspaceId as WorkspaceId, // inserted above
    userId: (await ownerOf(db, made.workspaceId)) as UserId,
    key: made.key,
    call,
    createAccount,
    async verifiedAccount(fields) {
      const { id } = await createAccount(fields);
      await sql`update email_account set verified = true, verified_at = now() where id = ${id}`.execute(
        db,
      );
      return id as EmailAccountId;
    },
    account: async (id) => (await call('GET', `/email-accounts/${id}`)).body,
  };
}

/** A message row as tests read it. */
export interface MessageRow {
  id: string;
  status: string;
  attempts: number;
  counted_on: string | null;
  error_class: string | null;
  text_body: string | null;
  data_started_at: Date | null;
  claim_token: string | null;
  next_attempt_at: Date | null;
}

export async function messageRows(
  millrace: Pick<TestMillrace, 'services'>,
  accountId: string,
): Promise<MessageRow[]> {
  const { rows } = await sql<MessageRow>`
    select id, status, attempts, counted_on::text, error_class, text_body, data_started_at,
      claim_token, next_attempt_at
    from email_message where email_account_id = ${accountId} order by created_at, id`.execute(
    millrace.services.db,
  );
  return rows;
}
