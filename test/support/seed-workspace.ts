import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import type { Role } from '#src/tables/accounts.ts';
import { type SeededChat, seedChat } from './seed-chat.ts';
import { type SeededConnectors, seedConnectors } from './seed-connectors.ts';
import { type SeededOutreach, seedOutreach } from './seed-outreach.ts';
import { type SeededPeople, seedPeople } from './seed-people.ts';
import { type SeededWebhooks, seedWebhooks } from './seed-webhooks.ts';
import type { TestMillrace } from './test-millrace.ts';
import { until } from './until.ts';

/** A workspace with one of everything, and the values that would reveal it in an answer to others. */
export interface SeededWorkspace
  extends
    SeededChat,
    SeededConnectors,
    SeededOutreach,
    SeededWebhooks,
    SeededMember,
    SeededPeople,
    SeededPurchase {
  workspaceId: string;
  adminKey: string;
  /** A word that appears only in its documents, names and messages. */
  marker: string;
  documentIds: string[];
  apiKeyId: string;
  pairId: number;
  documentSet: string;
  documentSetId: number;
  /** Used for an award to its owner for a `share`. */
  idempotencyKey: string;
  /** Ids that no other workspace may see. */
  secretIds: string[];
}

interface SeededMember {
  memberId: string;
  memberEmail: string;
}

interface SeededPurchase {
  /** Ids at Stripe. */
  customerId: string;
  subscriptionId: string;
}

export const SHARED_DOCUMENT = 'shared-id';
/** A URL that is the id of a document in every workspace; nothing listens there. */
export const SHARED_PAGE = 'https://127.0.0.1:9/harbour';

export async function seedWorkspace(
  millrace: TestMillrace,
  marker: string,
): Promise<SeededWorkspace> {
  const { workspaceId, key } = await millrace.createWorkspace();
  const { db } = millrace.services;
  const pairId = await insertPair(
    db,
    workspaceId,
    `Pair ${marker}`,
    await ownerOf(db, workspaceId),
  );
  const documentSet = `Set ${marker}`;
  const documentSetId = await insertDocumentSet(db, workspaceId, documentSet, pairId);
  const connectors = await seedConnectors(millrace, { workspaceId, key, marker });
  const owner = { workspaceId: workspaceId as WorkspaceId, marker }; // came from the API
  const webhooks = await seedWebhooks(millrace.services, owner);
  const outreach = await seedOutreach(millrace.services, owner);
  const member = await addMember(millrace, key, marker);
  const people = await seedPeople(millrace, workspaceId, marker);
  const purchase = await insertPurchase(db, workspaceId, marker);
  // Without the marker, because others may use these ids for documents of their own.
  const documentIds = [SHARED_DOCUMENT, `own-${pairId}`, SHARED_PAGE];
  for (const id of documentIds) {
    await millrace.call(
      'POST',
      '/service-api/ingestion',
      {
        document: {
          id,
          semantic_identifier: `Title ${marker}`,
          // Two, so that the text is stored besides its chunk.
          sections: [
            { text: `The harbour of ${marker} is deep.`, link: `https://${marker}.test/` },
            { text: `Its pilots live in ${marker}.`, link: `https://${marker}.test/` },
          ],
          metadata: { place: marker },
        },
        cc_pair_id: pairId,
      },
      { key },
    );
  }
  await millrace.call(
    'PATCH',
    '/search/settings',
    { recency_bias: 'auto', synonyms: [['anchorage', `Port ${marker}`]] },
    { key },
  );
  const apiKeyId = await createKey(millrace, key, 'read', `Key ${marker}`);
  await millrace.settled(key);
  const chat = await seedChat(millrace, { workspaceId, key, marker });
  const idempotencyKey = `once-${marker}`;
  await millrace.call(
    'POST',
    '/gamification/action',
    { action_type: 'share', context: { place: marker } },
    { key, headers: { 'Idempotency-Key': idempotencyKey } },
  );
  await until(async () => (await countAwards(db, workspaceId)) === 2); // the chat's award is made by the service
  return {
    workspaceId,
    adminKey: key,
    marker,
    documentIds,
    apiKeyId: apiKeyId.id,
    pairId,
    documentSet,
    documentSetId,
    ...connectors,
    ...webhooks,
    ...outreach,
    ...member,
    ...people,
    ...purchase,
    ...chat,
    idempotencyKey,
    secretIds: [
      workspaceId,
      apiKeyId.id,
      chat.chatSessionId,
      chat.sharedSessionId,
      chat.userFileId,
      chat.chatFileId,
      connectors.storedFileId,
      webhooks.endpointId,
      webhooks.disabledEndpointId,
      webhooks.eventId,
      outreach.scrapeId,
      outreach.leadId,
      outreach.emailAccountId,
      outreach.verificationId,
      outreach.sentMessageId,
      outreach.bounceMailboxId,
      member.memberId,
      people.personId,
      people.personMemberId,
      people.personSessionId,
      people.invitationId,
    ],
  };
}

async function addMember(
  { call }: Pick<TestMillrace, 'call'>,
  key: string,
  marker: string,
): Promise<SeededMember> {
  // Without the marker, because others may have a member with this address.
  const memberEmail = `member-${randomUUID()}@example.com`;
  const { body } = await call(
    'POST',
    '/account/members',
    { display_name: `Member ${marker}`, email: memberEmail, role: 'read' },
    { key },
  );
  return { memberId: body.user_id, memberEmail };
}

/** A paid checkout and its subscription. */
async function insertPurchase(
  db: Database,
  workspaceId: string,
  marker: string,
): Promise<SeededPurchase> {
  const customerId = `cus_${marker}`;
  const subscriptionId = `sub_${marker}`;
  const email = `payer@${marker}.test`;
  await sql`insert into stripe_event (id, type, workspace_id, created_at)
    values (${`evt_${marker}`}, 'checkout.session.completed', ${workspaceId}, now())`.execute(db);
  await sql`insert into stripe_customer (id, workspace_id, email)
    values (${customerId}, ${workspaceId}, ${email})`.execute(db);
  // Not a real currency: it is the only text of a subscription that is shown.
  await sql`insert into stripe_subscription (id, workspace_id, customer_id, status, plan_tier,
      amount_monthly, currency, current_period_end)
    values (${subscriptionId}, ${workspaceId}, ${customerId}, 'active', 'Agency', 4711, ${marker},
      now() + interval '20 days')`.execute(db);
  await sql`insert into stripe_checkout (id, workspace_id, customer_id, customer_email,
      subscription_id, plan_tier, amount_total, currency, paid_at)
    values (${`cs_${marker}`}, ${workspaceId}, ${customerId}, ${email}, ${subscriptionId},
      'Agency', 4711, ${marker}, now())`.execute(db);
  return { customerId, subscriptionId };
}

async function countAwards(db: Database, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from points_award
    where workspace_id = ${workspaceId}`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function createKey(
  { call }: Pick<TestMillrace, 'call'>,
  adminKey: string,
  role: Role,
  name: string = role,
): Promise<{ id: string; key: string }> {
  const { body } = await call('POST', '/account/api-keys', { name, role }, { key: adminKey });
  return { id: body.id, key: body.key };
}

/** The first user account of the workspace. */
export async function ownerOf(db: Database, workspaceId: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select id from user_account where workspace_id = ${workspaceId}
    order by created_at, id limit 1`.execute(db);
  return rows[0]?.id ?? '';
}

/** A second user account of a workspace. */
export async function insertUser(db: Database, workspaceId: string): Promise<string> {
  const id = randomUUID();
  await sql`insert into user_account (id, workspace_id, display_name)
    values (${id}, ${workspaceId}, 'Colleague')`.execute(db);
  return id;
}

export async function insertPair(
  db: Database,
  workspaceId: string,
  name: string,
  userId: string,
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into cc_pair (workspace_id, name, source, created_by)
    values (${workspaceId}, ${name}, 'web', ${userId}) returning id`.execute(db);
  return rows[0]?.id ?? 0;
}

async function insertDocumentSet(
  db: Database,
  workspaceId: string,
  name: string,
  pairId: number,
): Promise<number> {
  const { rows } = await sql<{ id: number }>`with made as (
      insert into document_set (workspace_id, name) values (${workspaceId}, ${name}) returning id)
    insert into document_set_cc_pair (document_set_id, cc_pair_id)
    select id, ${pairId} from made returning document_set_id as id`.execute(db);
  return rows[0]?.id ?? 0;
}
