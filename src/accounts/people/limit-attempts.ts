import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '#src/platform/database.ts';
import { Problem } from '#src/platform/errors.ts';

const MINUTE_SECONDS = 60;
/** Against one who knows an account and guesses its password. */
const PER_ACCOUNT_AND_CLIENT = { max: 5, seconds: 15 * MINUTE_SECONDS };
/** Against many who guess together. Enough for the owner, who sits at another address. */
const PER_ACCOUNT = { max: 50, seconds: 60 * MINUTE_SECONDS };
const MAILS_PER_ACCOUNT = { max: 3, seconds: 60 * MINUTE_SECONDS };
/** Tokens have 256 bits; the limit only bounds the work. */
const TOKENS_PER_CLIENT = { max: 30, seconds: MINUTE_SECONDS };
/** Deleted with each new key, so that keys nobody uses again do not pile up. */
const MAX_PRUNED = 20;

interface Taken {
  allowed: boolean;
  retryAfterSeconds: number;
}

/** Counts an attempt in a period that begins with the first one. All processes count together. */
export async function takeAttempt(
  db: Database,
  key: string,
  { max, seconds }: { max: number; seconds: number },
): Promise<Taken> {
  const { rows } = await sql<{ count: number; secondsLeft: number }>`
    insert into sign_in_attempt as a (key, count, ends_at)
    values (${key}, 1, now() + make_interval(secs => ${seconds}::int))
    on conflict (key) do update set
      count = case when a.ends_at <= now() then 1 else least(a.count, 1000000) + 1 end,
      ends_at = case when a.ends_at <= now() then excluded.ends_at else a.ends_at end
    returning count, ceil(extract(epoch from ends_at - now()))::int as "secondsLeft"`.execute(db);
  const { count = 1, secondsLeft = seconds } = rows[0] ?? {};
  if (count === 1) await pruneAttempts(db);
  return { allowed: count <= max, retryAfterSeconds: Math.max(1, secondsLeft) };
}

async function pruneAttempts(db: Database): Promise<void> {
  await sql`delete from sign_in_attempt where key in (
    select key from sign_in_attempt where ends_at < now() order by ends_at limit ${MAX_PRUNED}
    for update skip locked)`.execute(db);
}

/** @throws Problem RATE_LIMIT_EXCEEDED after too many attempts to sign in to an account, whether it exists or not */
export async function limitSignIn(db: Database, email: string, client: string): Promise<void> {
  const account = accountKey(email);
  assertAllowed(await takeAttempt(db, `${account}:${client}`, PER_ACCOUNT_AND_CLIENT));
  assertAllowed(await takeAttempt(db, account, PER_ACCOUNT));
}

/** The client has shown the right password. Attempts of others still count. */
export async function forgiveClient(db: Database, email: string, client: string): Promise<void> {
  await db
    .deleteFrom('sign_in_attempt')
    .where('key', '=', `${accountKey(email)}:${client}`)
    .execute();
}

/** The person has a new password: old guesses tell nothing about it. */
export async function forgiveAccount(db: Database, email: string): Promise<void> {
  await db
    .deleteFrom('sign_in_attempt')
    .where('key', 'like', `${accountKey(email)}%`)
    .execute();
}

/** Whether another mail may go to this address. */
export async function takeMail(db: Database, email: string): Promise<boolean> {
  return (await takeAttempt(db, `mail:${hashOf(email)}`, MAILS_PER_ACCOUNT)).allowed;
}

/** @throws Problem RATE_LIMIT_EXCEEDED after too many tokens of links from a client */
export async function limitTokens(db: Database, client: string): Promise<void> {
  assertAllowed(await takeAttempt(db, `token:${client}`, TOKENS_PER_CLIENT));
}

function assertAllowed({ allowed, retryAfterSeconds }: Taken): void {
  if (allowed) return;
  throw new Problem(
    'RATE_LIMIT_EXCEEDED',
    `Too many attempts. Try again in ${waitOf(retryAfterSeconds)}, or reset the password.`,
    { retryAfterSeconds },
  );
}

function waitOf(seconds: number): string {
  const minutes = Math.ceil(seconds / MINUTE_SECONDS);
  return seconds < MINUTE_SECONDS ? `${seconds} s` : `${minutes} min`;
}

/** Addresses are personal data, so only their hashes are kept. */
function accountKey(email: string): string {
  return `account:${hashOf(email)}`;
}

function hashOf(email: string): string {
  return createHash('sha256').update(email.toLowerCase()).digest('hex');
}
