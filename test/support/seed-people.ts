import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { hashLinkToken } from '#src/accounts/people/link-token.ts';
import type { Database } from '#src/platform/database.ts';
import type { Role } from '#src/tables/accounts.ts';
import type { TestMillrace } from './test-millrace.ts';

export const PASSWORD = 'a password for tests';

/** Somebody who signs in to a workspace. */
export interface SeededPerson {
  personId: string;
  personEmail: string;
  /** The user account. */
  personMemberId: string;
}

export interface SeededPeople extends SeededPerson {
  personSessionId: string;
  invitationId: string;
}

/** A person with a session, and an invitation of another. */
export async function seedPeople(
  { services }: Pick<TestMillrace, 'services'>,
  workspaceId: string,
  marker: string,
): Promise<SeededPeople> {
  const { db } = services;
  const person = await insertPerson(services, workspaceId, 'member', `Person ${marker}`);
  const personSessionId = randomUUID();
  await sql`insert into person_session (id, person_id, workspace_id, token, expires_at)
    values (${personSessionId}, ${person.personId}, ${workspaceId},
      ${randomBytes(24).toString('hex')}, now() + interval '1 day')`.execute(db);
  const invitationId = randomUUID();
  await sql`insert into invitation (id, workspace_id, email, role, token_hash, expires_at)
    values (${invitationId}, ${workspaceId}, ${`guest@${marker}.test`}, 'member',
      ${hashLinkToken(marker)}, now() + interval '1 day')`.execute(db);
  return { ...person, personSessionId, invitationId };
}

/** A person with `PASSWORD` who signs in to the workspace. */
export async function insertPerson(
  { db, signIn }: Pick<TestMillrace['services'], 'db' | 'signIn'>,
  workspaceId: string,
  role: Role,
  name = 'Somebody',
): Promise<SeededPerson> {
  const personId = randomUUID();
  const personMemberId = randomUUID();
  const personEmail = `person-${randomUUID()}@example.com`;
  await sql`insert into person (id, name, email)
    values (${personId}, ${name}, ${personEmail})`.execute(db);
  await sql`insert into person_login (person_id, provider_id, account_id, password)
    values (${personId}, 'credential', ${personId}, ${await signIn.hashPassword(PASSWORD)})`.execute(
    db,
  );
  await insertMembership(db, { id: personMemberId, workspaceId, personId, role, name });
  return { personId, personEmail, personMemberId };
}

/** Makes a person a member of a workspace. */
export async function insertMembership(
  db: Database,
  member: { id: string; workspaceId: string; personId: string; role: Role; name: string },
): Promise<void> {
  await sql`insert into user_account
      (id, workspace_id, display_name, email, person_id, sign_in_role)
    select ${member.id}, ${member.workspaceId}, ${member.name}, p.email, p.id, ${member.role}
    from person p where p.id = ${member.personId}`.execute(db);
}

/** A browser: keeps cookies, and says where its requests come from. */
export interface Browser {
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): ReturnType<TestMillrace['call']>;
  /** The `Cookie` header that it sends. */
  readonly cookies: string;
}

export function openBrowser(millrace: Pick<TestMillrace, 'call' | 'url'>, cookies = ''): Browser {
  const kept = new Map<string, string>();
  keep(kept, cookies === '' ? [] : cookies.split('; '));
  const shown = () => [...kept].map(([name, value]) => `${name}=${value}`).join('; ');
  return {
    get cookies() {
      return shown();
    },
    async call(method, path, body, headers = {}) {
      const answer = await millrace.call(method, path, body, {
        key: null,
        headers: {
          Origin: millrace.url,
          ...(kept.size > 0 ? { Cookie: shown() } : {}),
          ...headers,
        },
      });
      keep(kept, answer.headers.getSetCookie());
      return answer;
    },
  };
}

function keep(kept: Map<string, string>, cookies: readonly string[]): void {
  for (const cookie of cookies) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    if (value === '') kept.delete(name);
    else kept.set(name, value);
  }
}

/** Signs in, as a person of `insertPerson` by default. */
export async function signIn(
  millrace: Pick<TestMillrace, 'call' | 'url'>,
  email: string,
  password: string = PASSWORD,
): Promise<Browser> {
  const browser = openBrowser(millrace);
  const answer = await browser.call('POST', '/auth/sign-in/email', { email, password });
  if (answer.status !== 200) throw new Error(`Signing in answered ${answer.text}`);
  return browser;
}
