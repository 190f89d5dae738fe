import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { WorkspaceId } from '#src/ids.ts';
import type { Database } from '#src/platform/database.ts';
import { seedChat } from './seed-chat.ts';
import { seedConnectors } from './seed-connectors.ts';
import { seedOutreach } from './seed-outreach.ts';
import { seedPeople } from './seed-people.ts';
import { insertPair, ownerOf } from './seed-workspace.ts';
import { seedWebhooks } from './seed-webhooks.ts';
import type { TestMillrace } from './test-millrace.ts';

/** What runs a script wherever it becomes markup. Short, so that no id is cut, and without a number, which groups omit. */
export const HOSTILE = '<img src=x onerror=alert()>';
/** In what others may open. */
const HOSTILE_LINK = 'javascript:alert(1)';

/** Where a page of the console is shown, full. */
export interface FullPage {
  /** Below the console. */
  addresses: readonly string[];
  /** Whether the page itself, without its frame, shows text that others wrote. */
  isHostile: boolean;
}

export interface FullConsole {
  /** By the path in `VIEWS` of `src/console/web/routes.ts`. */
  pages: Record<string, FullPage>;
  /** What was shown once, or never. */
  secrets: string[];
}

/** What others wrote, wherever they can write. */
interface Written {
  text: string;
  link: string;
}

/**
 * One of everything in the operator's workspace, which has its first person.
 */
export async function fillConsole(
  millrace: TestMillrace,
  written: Written = { text: HOSTILE, link: HOSTILE_LINK },
): Promise<FullConsole> {
  const { text, link } = written;
  const { db } = millrace.services;
  const workspaceId = await operatorWorkspace(db);
  const owner = { workspaceId, key: millrace.adminKey, marker: 'harbour' };
  const connectors = await seedConnectors(millrace, owner);
  const webhooks = await seedWebhooks(millrace.services, owner);
  const outreach = await seedOutreach(millrace.services, owner);
  const chat = await seedChat(millrace, owner);
  await seedPeople(millrace, workspaceId, owner.marker);
  const made = await fillByRequests(millrace, text);
  const documentId = await pushDocuments(millrace, workspaceId, written);
  const job = await latestJob(millrace);
  await write(db, workspaceId, written);
  const shown = (isHostile: boolean, ...addresses: string[]): FullPage => ({
    addresses,
    isHostile,
  });
  const queue = '/operations/document-index';
  const pages = {
    '/sign-in': shown(false, `/sign-in?error=${encodeURIComponent(text)}&next=${link}`),
    '/sign-up': shown(false, '/sign-up'),
    '/welcome': shown(false, `/welcome#token=${encodeURIComponent(text)}`),
    '/invitation': shown(false, `/invitation#token=${encodeURIComponent(text)}`),
    '/forgot-password': shown(false, '/forgot-password'),
    '/reset-password': shown(false, `/reset-password#token=${encodeURIComponent(text)}`),
    '/': shown(true, '/'),
    '/operations': shown(true, '/operations'),
    '/operations/workers': shown(true, '/operations/workers'),
    '/operations/schedules': shown(false, '/operations/schedules'),
    '/operations/alarms': shown(true, '/operations/alarms'),
    '/operations/audit': shown(true, '/operations/audit'),
    '/operations/workspaces': shown(true, '/operations/workspaces'),
    '/operations/{queue}': shown(true, queue),
    '/operations/{queue}/jobs': shown(true, `${queue}/jobs?state=completed`),
    '/operations/{queue}/jobs/{id}': shown(true, `${queue}/jobs/${job}`),
    '/ask': shown(true, `/ask?chat=${chat.chatSessionId}`),
    '/documents': shown(
      true,
      '/documents',
      `/documents?q=${encodeURIComponent(text)}`,
      `/documents?document_set=${encodeURIComponent(text)}`,
    ),
    '/documents/{id}': shown(true, `/documents/${encodeURIComponent(documentId)}`),
    '/connectors': shown(true, '/connectors'),
    '/connectors/new': shown(false, '/connectors/new?kind=tracker'),
    '/connectors/credentials': shown(true, '/connectors/credentials'),
    '/connectors/{id}': shown(true, `/connectors/${connectors.linkedPairId}`),
    '/leads': shown(true, '/leads'),
    '/leads/{id}': shown(true, `/leads/${outreach.scrapeId}`),
    '/mail': shown(true, '/mail'),
    '/mail/{id}': shown(true, `/mail/${outreach.emailAccountId}`),
    '/webhooks': shown(true, '/webhooks'),
    '/webhooks/{id}': shown(
      true,
      `/webhooks/${webhooks.endpointId}`,
      `/webhooks/${webhooks.disabledEndpointId}`,
    ),
    '/webhooks/deliveries/{id}': shown(true, `/webhooks/deliveries/${webhooks.deliveryId}`),
    '/settings/plan': shown(false, '/settings/plan'),
    '/settings/points': shown(false, '/settings/points'),
    '/settings/keys': shown(true, '/settings/keys'),
    '/settings/members': shown(true, '/settings/members'),
    '/settings/profile': shown(true, '/settings/profile'),
  };
  const seeded = ['token-', 'password of ', 'mailbox of ', 'tool-key-of-', 'mcp-key-of-'];
  const secrets = [...made, ...seeded.map((begin) => begin + owner.marker), millrace.adminKey];
  return { pages, secrets };
}

async function operatorWorkspace(db: Database): Promise<WorkspaceId> {
  const { rows } = await sql<{ id: WorkspaceId }>`
    select id from workspace where is_bootstrap`.execute(db);
  if (!rows[0]) throw new Error('There is no operator workspace.');
  return rows[0].id;
}

/** @returns the secrets that were shown this once */
async function fillByRequests(millrace: TestMillrace, text: string): Promise<string[]> {
  const made: [method: string, path: string, body: object][] = [
    ['POST', '/account/api-keys', { name: `Key ${text}`, role: 'read' }],
    ['POST', '/account/members', { display_name: `Member ${text}` }],
    ['POST', '/manage/admin/workspaces', { name: `Workspace ${text}` }],
    ['POST', '/operations/queues/lead-scrape/pause', { reason: `Pause ${text}` }],
    ['POST', '/webhook-endpoints', { url: 'https://hooks.example.com/', description: text }],
  ];
  const secrets: string[] = [];
  for (const [method, path, body] of made) {
    const answer = await millrace.call(method, path, body);
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.text}`);
    const { key, api_key: apiKey, secret } = answer.body;
    secrets.push(...[key, apiKey, secret].filter((one) => typeof one === 'string'));
  }
  return secrets;
}

/** @returns the id of one that is found, with a text and a link of others */
async function pushDocuments(
  millrace: TestMillrace,
  workspaceId: string,
  { text, link }: Written,
): Promise<string> {
  const { db } = millrace.services;
  const pair = await insertPair(db, workspaceId, `Pair ${text}`, await ownerOf(db, workspaceId));
  const push = async (id: string, ccPairId: number | null): Promise<void> => {
    const answer = await millrace.call('POST', '/service-api/ingestion', {
      document: {
        id,
        semantic_identifier: `Title ${text}`,
        sections: [{ text: `Text ${text}`, link: link }],
        source: 'web',
        metadata: { place: text },
      },
      ...(ccPairId !== null && { cc_pair_id: ccPairId }),
    });
    if (answer.status !== 200) throw new Error(`A document was refused: ${answer.text}`);
  };
  const id = `one, two: ${text}`;
  await push(id, pair);
  await push(`failed ${text}`, null);
  await millrace.settled();
  await sql`update document set status = 'failed', attempts = 8, error = ${`Error ${text}`}
    where external_id = ${`failed ${text}`}`.execute(db);
  await sql`with made as (
      insert into document_set (workspace_id, name, description)
      values (${workspaceId}, ${text}, ${text}) returning id)
    insert into document_set_cc_pair (document_set_id, cc_pair_id)
    select id, ${pair} from made`.execute(db);
  return id;
}

/** The id of the newest job that indexed a document. */
async function latestJob(millrace: TestMillrace): Promise<string> {
  const path = '/operations/queues/document-index/jobs?state=completed';
  const { body } = await millrace.call('GET', path);
  return body.jobs[0]?.job_id ?? '';
}

/** Rows that requests would check or other servers would write. */
async function write(db: Database, workspaceId: string, { text, link }: Written): Promise<void> {
  const inside = JSON.stringify(text).slice(1, -1);
  const own = sql`workspace_id = ${workspaceId}`;
  for (const statement of [
    sql`update cc_pair set name = name || ${text}, status_reason = ${text}, failed_runs = 3
      where ${own} and connector_id is not null`,
    sql`update connector set name = name || ${text},
      settings = settings::jsonb || jsonb_build_object('tracker_project_key', ${text}::text)
      where ${own} and kind = 'tracker'`,
    sql`update credential set name = ${text} where ${own}`,
    sql`update index_attempt set error = ${text}, checkpoint_description = ${text},
      skip_reasons = jsonb_build_object(${text}::text, 1), notes = jsonb_build_object(${text}::text, 1)
      where ${own}`,
    sql`update index_attempt_error set message = ${text}, document_id = ${text},
      document_link = ${link} where ${own}`,
    sql`update prune_attempt set error = ${text} where ${own}`,
    sql`update webhook_endpoint set description = ${text} where ${own}`,
    sql`update webhook_endpoint set disabled_reason = ${text} where ${own} and not enabled`,
    sql`update webhook_delivery set error = ${text} where ${own}`,
    sql`update webhook_attempt set error = ${text}, answer = ${text} where ${own}`,
    sql`update email_account set from_name = ${text}, smtp_host = ${text} where ${own}`,
    sql`update email_message set subject = ${text}, error = ${text}, recipient = ${text},
      advice = jsonb_build_array(${text}::text) where ${own}`,
    sql`update bounce_mailbox set host = ${text}, username = ${text}, error = ${text},
      error_class = 'unreachable', failures = 3 where ${own}`,
    sql`update lead_scrape set query = ${text} where ${own}`,
    sql`update lead_scrape_site set error = ${text}, domain = ${text}, url = ${link},
      status = 'partial',
      problems = jsonb_build_array(jsonb_build_object('url', ${link}::text, 'reason', ${text}::text))
      where ${own}`,
    sql`update lead set name = ${text}, title = ${text}, company = ${text},
      website = ${link},
      details = replace(replace(details::text, 'Lead harbour', ${inside}), 'https://harbour.test/', ${link})::jsonb
      where ${own}`,
    sql`update chat_session set title = ${text}, user_id = (
        select id from user_account where ${own} and person_id is not null
        order by created_at limit 1) where ${own}`,
    sql`update chat_message set content = ${text} || ' [link](' || ${link} || ')',
      files = replace(files::text, 'diary-harbour.txt', ${inside})::jsonb where ${own}`,
    sql`update user_file set name = ${text} where ${own}`,
    sql`update person_session set user_agent = ${text}, ip_address = ${text}`,
    sql`insert into queue_alarm (queue, kind, message, since, raised_at)
      values ('lead-scrape', 'no_worker', ${text}, now(), now())`,
    sql`insert into worker_process (id, host, pid, version, started_at, beat_at, queues, jobs)
      values (${randomUUID()}, ${text}, 1, ${text}, now(), now() + interval '1 hour', '[]', '[]')`,
  ]) {
    await statement.execute(db);
  }
}
