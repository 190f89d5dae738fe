import { sql } from 'kysely';
import type { CredentialId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Database, DatabaseTransaction } from '#src/platform/database.ts';
import { UnreadableSecret } from '#src/platform/crypto.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ConnectorServices } from '#src/connectors/connector-services.ts';
import { findMasked, restoreMasked } from '#src/platform/mask-secrets.ts';
import { CONNECTORS, findConnector } from '#src/connectors/kinds/registry.ts';
import { unknownCredential } from './not-found.ts';
import { takesEmptyCredential, validateCredential } from './validate-config.ts';
import { isStillReferred } from './violated-rule.ts';

type CredentialServices = Pick<ConnectorServices, 'db' | 'secrets'>;
type CredentialJson = Record<string, unknown>;

/**
 * The caller: admins see their own credentials, shared and ownerless ones, and those for sources that need no secret.
 */
export interface CredentialViewer {
  workspaceId: WorkspaceId;
  userId: UserId;
}

export interface CredentialRecord {
  id: CredentialId;
  name: string | null;
  source: string;
  kind: string;
  /** Sealed; null for the empty credential. */
  secret: string | null;
  admin_public: boolean;
  curator_public: boolean;
  created_by: UserId | null;
  creator_email: string | null;
  created_at: Date;
  updated_at: Date;
}

/** The built-in credential 0, for sources that need none. It has no row. */
export const EMPTY_CREDENTIAL: CredentialRecord = {
  id: 0 as CredentialId, // no row has this id
  name: null,
  source: 'not_applicable',
  kind: 'not_applicable',
  secret: null,
  admin_public: true,
  curator_public: false,
  created_by: null,
  creator_email: null,
  created_at: new Date(0),
  updated_at: new Date(0),
};

const RECORD = sql`k.id, k.name, k.source, k.kind, k.secret, k.admin_public, k.curator_public,
  k.created_by, u.email as creator_email, k.created_at, k.updated_at`;

export interface NewCredential {
  name: string | null;
  source: string;
  json: CredentialJson;
  adminPublic: boolean;
  curatorPublic: boolean;
}

/**
 * Seals and stores a credential.
 * @throws Problem BAD_REQUEST that names the field that is invalid for the source
 */
export async function createCredential(
  { db, secrets }: CredentialServices,
  { workspaceId, userId }: CredentialViewer,
  credential: NewCredential,
): Promise<CredentialRecord> {
  const kind = findConnector(credential.source)?.kind ?? credential.source.toLowerCase();
  validateJson(kind, credential.json);
  const id = await reserveId(db);
  await sql`insert into credential (id, workspace_id, name, source, kind, secret, admin_public,
      curator_public, created_by)
    overriding system value
    values (${id}, ${workspaceId}, ${credential.name}, ${credential.source}, ${kind},
      ${sealJson(secrets, id, credential.json)}, ${credential.adminPublic},
      ${credential.curatorPublic}, ${userId})`.execute(db);
  return readCredential(db, { workspaceId, userId }, id);
}

/** Credential 0 first, then oldest first. */
export async function listCredentials(
  db: Database,
  viewer: CredentialViewer,
): Promise<CredentialRecord[]> {
  const { rows } = await sql<CredentialRecord>`
    select ${RECORD} from credential k left join user_account u on u.id = k.created_by
    where ${isVisibleTo(viewer)} order by k.id`.execute(db);
  return [EMPTY_CREDENTIAL, ...rows];
}

/**
 * @throws Problem NOT_FOUND, also for another admin's private credential
 */
export async function readCredential(
  db: Database | DatabaseTransaction,
  viewer: CredentialViewer,
  id: number,
  lock: 'lock' | 'no-lock' = 'no-lock',
): Promise<CredentialRecord> {
  if (id === EMPTY_CREDENTIAL.id) return EMPTY_CREDENTIAL;
  const { rows } = await sql<CredentialRecord>`
    select ${RECORD} from credential k left join user_account u on u.id = k.created_by
    where ${isVisibleTo(viewer)} and k.id = ${id}
    ${lock === 'lock' ? sql`for update of k` : sql``}`.execute(db);
  const [found] = rows;
  if (!found) throw unknownCredential(id);
  return found;
}

/** The credentials of several pairs, regardless of who created them. */
export async function readCredentials(
  db: Database,
  workspaceId: WorkspaceId,
  ids: readonly number[],
): Promise<CredentialRecord[]> {
  const { rows } = await sql<CredentialRecord>`
    select ${RECORD} from credential k left join user_account u on u.id = k.created_by
    where k.workspace_id = ${workspaceId} and k.id = any(${ids}::int[])`.execute(db);
  return rows;
}

/**
 * Replaces `credential_json`, or merges the given keys into it. A masked value sent back unchanged keeps the stored
 * secret.
 * @param change an undefined name keeps the old one
 * @throws Problem NOT_FOUND, or BAD_REQUEST that names the field
 */
export async function updateCredential(
  { db, secrets }: CredentialServices,
  viewer: CredentialViewer,
  id: number,
  change: { json: CredentialJson; how: 'replace' | 'merge'; name?: string | null | undefined },
): Promise<CredentialRecord> {
  return db.transaction().execute(async (trx) => {
    assertOwn(id);
    const before = await readCredential(trx, viewer, id, 'lock');
    const json = mergeJson(secrets, before, change);
    validateJson(before.kind, json);
    const name = change.name === undefined ? before.name : change.name;
    await trx
      .updateTable('credential')
      .set({ name, secret: sealJson(secrets, before.id, json), updated_at: sql<Date>`now()` })
      .where('id', '=', before.id)
      .execute();
    return readCredential(trx, viewer, id);
  });
}

/** A secret that can no longer be read can still be replaced as a whole. */
function mergeJson(
  secrets: ConnectorServices['secrets'],
  before: CredentialRecord,
  change: { json: CredentialJson; how: 'replace' | 'merge' },
): CredentialJson {
  try {
    const stored = openCredential(secrets, before);
    const sent = restoreMasked(change.json, stored);
    return change.how === 'merge' ? { ...stored, ...sent } : sent;
  } catch (error) {
    if (change.how === 'merge' || !isUnreadable(error)) throw error;
    return change.json;
  }
}

/** @throws Problem NOT_FOUND, or BAD_REQUEST while pairs use it */
export async function deleteCredential(
  db: Database,
  viewer: CredentialViewer,
  id: number,
): Promise<void> {
  assertOwn(id);
  const { id: found } = await readCredential(db, viewer, id);
  try {
    await db.deleteFrom('credential').where('id', '=', found).execute();
  } catch (error) {
    if (!isStillReferred(error)) throw error;
    throw new Problem(
      'BAD_REQUEST',
      `Credential ${id} is in use by ${await nameUsers(db, found)}. Delete them first, swap their credential with PUT /manage/admin/credential/swap, or delete both with DELETE /manage/credential/force/${id}.`,
      { cause: error },
    );
  }
}

const MAX_NAMED = 5;

/** `the pairs "Wiki" and "Site"`, `the pairs "Wiki", "Site" and 7 others` */
async function nameUsers(db: Database, id: CredentialId): Promise<string> {
  const { rows } = await sql<{ name: string; users: number }>`
    select name, (count(*) over ())::int as users from cc_pair where credential_id = ${id}
    order by id limit ${MAX_NAMED}`.execute(db);
  const names = rows.map(({ name }) => JSON.stringify(name));
  const others = (rows[0]?.users ?? 0) - names.length;
  if (names.length === 0) return 'pairs';
  if (names.length === 1 && others === 0) return `the pair ${names[0]}`;
  const parts = others > 0 ? [...names, plural(others)] : names;
  return `the pairs ${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

function plural(others: number): string {
  return others === 1 ? '1 other' : `${others} others`;
}

/**
 * The sealed content; {} for the empty credential.
 * @throws Problem BAD_REQUEST when it cannot be read with the current key
 */
export function openCredential(
  secrets: ConnectorServices['secrets'],
  { id, secret }: Pick<CredentialRecord, 'id' | 'secret'>,
): CredentialJson {
  if (secret === null) return {};
  try {
    // It was an object when sealed, and the seal proves that it has not changed.
    return JSON.parse(secrets.open(secret, rowName(id))) as CredentialJson;
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    const help = `PATCH /manage/credential/${id} with the whole credential_json enters it again.`;
    throw new Problem('BAD_REQUEST', `${error.message} ${help}`, { cause: error });
  }
}

/** Whether `openCredential` failed because of the key or the row, and not because of a bug. */
export function isUnreadable(error: unknown): error is Problem {
  return error instanceof Problem && error.cause instanceof UnreadableSecret;
}

/** @throws Problem BAD_REQUEST for credential 0 */
export function assertOwn(id: number): void {
  if (id !== EMPTY_CREDENTIAL.id) return;
  throw new Problem(
    'BAD_REQUEST',
    'Credential 0 is built in: it cannot be changed or deleted. Make your own with POST /manage/credential.',
  );
}

function validateJson(kind: string, json: CredentialJson): void {
  const masked = findMasked(json);
  if (masked !== null) {
    throw new Problem(
      'BAD_REQUEST',
      `body.credential_json.${masked}: looks like a masked value. Send the secret itself, or its masked value exactly as it is currently shown.`,
    );
  }
  const connector = findConnector(kind);
  if (connector) validateCredential(connector, json);
}

function isVisibleTo({ workspaceId, userId }: CredentialViewer) {
  const keyless = CONNECTORS.filter(takesEmptyCredential).map(({ kind }) => kind);
  return sql`k.workspace_id = ${workspaceId} and (k.admin_public or k.created_by is null
    or k.created_by = ${userId} or k.kind = any(${[...keyless, EMPTY_CREDENTIAL.kind]}::text[]))`;
}

/** The secret is bound to its row's id, so the id is reserved first. */
async function reserveId(db: Database): Promise<CredentialId> {
  const { rows } = await sql<{ id: CredentialId }>`
    select nextval(pg_get_serial_sequence('credential', 'id'))::int as id`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('The sequence of credential gave no id.');
  return row.id;
}

function sealJson(
  secrets: ConnectorServices['secrets'],
  id: CredentialId,
  json: CredentialJson,
): string {
  return secrets.seal(JSON.stringify(json), rowName(id));
}

function rowName(id: CredentialId): string {
  return `credential:${id}`;
}
