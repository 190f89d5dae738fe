import type { CallerScope, Principal } from '#src/accounts/principal.ts';
import { ingestionStatsBody } from '#src/api/ingestion-stats.ts';
import { presentUserFile } from '#src/chat/user-files/present-user-file.ts';
import { findUserFile } from '#src/chat/user-files/user-files.ts';
import { pathId } from '#src/connectors/administration/connector-request.ts';
import { findAccount } from '#src/email/accounts.ts';
import { messagesQuerySchema } from '#src/email/administration/message-query.ts';
import { listMessages } from '#src/email/administration/messages.ts';
import { presentAccount } from '#src/email/administration/present-account.ts';
import { presentBounceMailbox } from '#src/email/administration/present-bounce-mailbox.ts';
import { presentMessage } from '#src/email/administration/present-message.ts';
import { listBounceMailboxes } from '#src/email/bounces/bounce-mailboxes.ts';
import { accountIdOf } from '#src/email/path-ids.ts';
import { presentScrape, presentScrapeDetails } from '#src/leads/scrapes/present-scrape.ts';
import {
  findScrapeDetails,
  listScrapes,
  scrapeIdOf,
  scrapesQuerySchema,
} from '#src/leads/scrapes/scrapes.ts';
import { presentDocument } from '#src/documents/present-document.ts';
import { findDocument } from '#src/documents/store.ts';
import { readOverview } from '#src/operations/overview.ts';
import { Problem } from '#src/platform/errors.ts';
import type { Services } from '#src/services.ts';
import {
  findDelivery,
  listAttempts,
  listDeliveries,
} from '#src/webhooks/administration/deliveries.ts';
import { findEndpoint, listEndpoints } from '#src/webhooks/administration/endpoints.ts';
import { deliveriesQuerySchema } from '#src/webhooks/administration/lookup-query.ts';
import { deliveryIdOf, endpointIdOf } from '#src/webhooks/administration/path-ids.ts';
import { presentAttempt, presentDelivery } from '#src/webhooks/administration/present-delivery.ts';
import { presentEndpoint } from '#src/webhooks/administration/present-endpoint.ts';
import type { Route } from '#src/api/route.ts';
import { errorsBody, pairBody, pairsBody, prunesBody, runsBody } from './connector-bodies.ts';
import { unknownDocument, whyBody } from './why-body.ts';

/** Deliveries that the topic of an endpoint tells: a page of the console. */
export const DELIVERIES = 25;
/** Runs, and failures, that the topic of a connector tells: a page of the console. */
export const RUNS = 10;

/** Scrapes, and messages of a sender account, that their topics tell: a page of the console. */
export const ROWS = 50;

/** Asks for the present state. */
export type Look = () => Promise<Record<string, unknown>>;

/** A topic about what a workspace has. */
interface WorkspaceTopic {
  /** As of the addresses that answer the same. */
  scope: CallerScope;
  plan: Route['plan'];
  /** By what the answer differs within a workspace: streams for which it is the same share their questions. */
  differsBy(principal: Principal): string;
  /**
   * A stream about nothing would stay silent, so a thing is looked for first.
   * @throws Problem NOT_FOUND when it is not there, BAD_REQUEST for an id that cannot be one
   */
  open(services: Services, principal: Principal, id: string): Promise<Look>;
}

/** A file, and a document or a failure of a private connector, is told to its owner alone. */
const byUser = ({ userId }: Principal): string => userId;
const byNothing = (): string => '';

/** By name; `<id>` stands for the part behind the colon. */
export const WORKSPACE_TOPICS: ReadonlyMap<string, WorkspaceTopic> = new Map([
  [
    'overview',
    {
      scope: 'read',
      plan: null,
      differsBy: (principal) => String(viewerOf(principal).isOperator),
      open: async (services, principal) => () => readOverview(services, viewerOf(principal)),
    },
  ],
  [
    'documents',
    {
      scope: 'ingest',
      plan: null,
      differsBy: byNothing,
      open: async (services, principal) => () => ingestionStatsBody(services, principal),
    },
  ],
  ['document:<id>', { scope: 'read-or-ingest', plan: null, differsBy: byUser, open: openDocument }],
  [
    'connectors',
    {
      scope: 'admin',
      plan: null,
      differsBy: byNothing,
      open:
        async (services, { workspaceId }) =>
        async () => ({ connectors: await pairsBody(services, workspaceId) }),
    },
  ],
  ['connector:<id>', { scope: 'admin', plan: null, differsBy: byUser, open: openConnector }],
  ['webhooks', { scope: 'admin', plan: null, differsBy: byNothing, open: openEndpoints }],
  ['webhook:<id>', { scope: 'admin', plan: null, differsBy: byNothing, open: openEndpoint }],
  ['delivery:<id>', { scope: 'admin', plan: null, differsBy: byNothing, open: openDelivery }],
  ['leads', { scope: 'read', plan: null, differsBy: byNothing, open: openScrapes }],
  ['scrape:<id>', { scope: 'read', plan: null, differsBy: byNothing, open: openScrape }],
  [
    'sender-account:<id>',
    { scope: 'read', plan: 'Personal', differsBy: byNothing, open: openSenderAccount },
  ],
  [
    'bounce-mailboxes',
    { scope: 'read', plan: 'Personal', differsBy: byNothing, open: openBounceMailboxes },
  ],
  ['user-file:<id>', { scope: 'read', plan: null, differsBy: byUser, open: openUserFile }],
] satisfies [string, WorkspaceTopic][]);

/** Who looks at an overview. */
export function viewerOf({ workspaceId, role, isBootstrapWorkspace }: Principal) {
  return { workspaceId, isOperator: role === 'admin' && isBootstrapWorkspace };
}

async function openDocument(services: Services, principal: Principal, id: string): Promise<Look> {
  const documentId = decoded(id);
  const look = async () => {
    const found = await findDocument(services.db, principal, documentId);
    if (!found) throw unknownDocument(documentId);
    return { document: presentDocument(found), why: await whyBody(services, found) };
  };
  await look();
  return look;
}

/** Ids of documents may hold the comma that parts topics. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    throw new Problem('BAD_REQUEST', 'query.topics: the id of a document is not percent-encoded.');
  }
}

async function openConnector(
  services: Services,
  { workspaceId, userId }: Principal,
  text: string,
): Promise<Look> {
  const id = pathId.safeParse(text).data;
  if (id === undefined) {
    throw new Problem('BAD_REQUEST', 'query.topics: the id of a connector is a whole number.');
  }
  const first = { page_num: 0, page_size: RUNS };
  const look = async () => ({
    connector: await pairBody(services, workspaceId, id),
    runs: await runsBody(services, { workspaceId, id }, first),
    errors: await errorsBody(services, { workspaceId, userId, id }, first),
    prunes: await prunesBody(services, { workspaceId, id }, { page_num: 0, page_size: 1 }),
  });
  await look();
  return look;
}

async function openEndpoints({ db }: Services, { workspaceId }: Principal): Promise<Look> {
  return async () => {
    const endpoints = await listEndpoints(db, workspaceId);
    return { webhook_endpoints: endpoints.map(presentEndpoint), total: endpoints.length };
  };
}

async function openEndpoint(
  { db }: Services,
  { workspaceId }: Principal,
  id: string,
): Promise<Look> {
  const address = { workspaceId, id: endpointIdOf(id) };
  await findEndpoint(db, address);
  const query = deliveriesQuerySchema.parse({ endpoint_id: id, limit: String(DELIVERIES) });
  return async () => {
    const endpoint = await findEndpoint(db, address);
    const { deliveries, nextCursor } = await listDeliveries(db, workspaceId, query);
    return {
      endpoint: presentEndpoint(endpoint),
      deliveries: deliveries.map(presentDelivery),
      next_cursor: nextCursor,
    };
  };
}

async function openDelivery(
  { db }: Services,
  { workspaceId }: Principal,
  id: string,
): Promise<Look> {
  const address = { workspaceId, id: deliveryIdOf(id) };
  await findDelivery(db, address);
  return async () => ({
    delivery: presentDelivery(await findDelivery(db, address)),
    attempts: (await listAttempts(db, address)).map(presentAttempt),
  });
}

async function openScrapes(services: Services, { workspaceId }: Principal): Promise<Look> {
  const query = scrapesQuerySchema.parse({ limit: String(ROWS) });
  return async () => {
    const { scrapes, nextCursor } = await listScrapes(services, workspaceId, query);
    return { scrapes: scrapes.map(presentScrape), next_cursor: nextCursor };
  };
}

async function openScrape(
  services: Services,
  { workspaceId }: Principal,
  id: string,
): Promise<Look> {
  const address = { workspaceId, id: scrapeIdOf(id) };
  const look = async () => ({
    scrape: presentScrapeDetails(await findScrapeDetails(services, address)),
  });
  await look();
  return look;
}

async function openSenderAccount(
  { db }: Services,
  { workspaceId }: Principal,
  id: string,
): Promise<Look> {
  const address = { workspaceId, id: accountIdOf(id) };
  const query = messagesQuerySchema.parse({ email_account_id: id, limit: String(ROWS) });
  const look = async () => {
    const account = await findAccount(db, address);
    const { messages, nextCursor } = await listMessages(db, workspaceId, query);
    return {
      account: await presentAccount(db, workspaceId, account),
      messages: messages.map(presentMessage),
      next_cursor: nextCursor,
    };
  };
  await look();
  return look;
}

async function openBounceMailboxes({ db }: Services, { workspaceId }: Principal): Promise<Look> {
  return async () => {
    const mailboxes = await listBounceMailboxes(db, workspaceId);
    return { bounce_mailboxes: mailboxes.map(presentBounceMailbox), total: mailboxes.length };
  };
}

async function openUserFile({ db }: Services, principal: Principal, id: string): Promise<Look> {
  const look = async () => ({ file: presentUserFile(await findUserFile(db, principal, id)) });
  await look();
  return look;
}
