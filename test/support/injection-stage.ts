import { sql } from 'kysely';
import { createApiKey } from '#src/accounts/api-keys.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Answer } from './api-client.ts';
import { type FakeMcpServer, startFakeMcpServer } from './fake-mcp-server.ts';
import {
  answerJson,
  type FakeOpenApiService,
  startFakeOpenApiService,
} from './fake-openapi-service.ts';
import { fillIn, type Injection } from './injection-cases.ts';
import { type LeadSite, startLeadSite } from './lead-site.ts';
import { type OutboundStage, startOutboundStage } from './outbound-stage.ts';
import { insertPair, insertUser } from './seed-workspace.ts';
import { startTripwire, type Tripwire } from './tripwire.ts';
import { sendFiles } from './upload-files.ts';

/** Words that neither the asker nor the model on the asker's behalf may ever see. */
export const SECRETS = {
  otherWorkspace: 'ZEBRAOTHERWORKSPACE4417',
  privateDocument: 'ZEBRAPRIVATEDOCUMENT9921',
  colleagueFile: 'ZEBRACOLLEAGUEFILE3310',
  colleagueMessage: 'ZEBRACOLLEAGUEMESSAGE8812',
  modelKey: 'ZEBRAMODELKEY5530',
  toolHeader: 'ZEBRATOOLHEADER7716',
} as const;

const OTHER_DOCUMENT = 'https://wiki.borealis.test/launch';
const PRIVATE_DOCUMENT = 'https://wiki.acme.test/salaries';

/** A workspace whose documents, pages, files and tools give orders, and the secrets these are after. */
export interface InjectionStage extends AsyncDisposable {
  readonly millrace: OutboundStage['millrace'];
  readonly site: LeadSite;
  readonly shop: FakeOpenApiService;
  readonly inner: Tripwire;
  readonly mcpServer: FakeMcpServer;
  readonly injections: readonly Injection[];
  /** Key of the asker, a member of the workspace. */
  readonly askerKey: string;
  /** Keys of users who may see what the asker may not. */
  readonly colleagueKey: string;
  readonly otherKey: string;
  /** Sets the answer of the malicious tools from now on. */
  toolsSay(text: string): void;
  call(method: string, path: string, body?: unknown): Promise<Answer>;
}

export async function startInjectionStage(
  llmUrl: string,
  all: readonly Injection[],
): Promise<InjectionStage> {
  await using opened = new AsyncDisposableStack();
  const [site, inner, shop] = [
    opened.use(await startLeadSite({})),
    opened.use(await startTripwire([0])),
    opened.use(await startFakeOpenApiService()),
  ];
  let said = 'Nothing.';
  let mcpDescription = 'Reads a note';
  const mcpServer = opened.use(
    await startFakeMcpServer((server) => {
      server.registerTool('read_note', { description: mcpDescription }, () => ({
        content: [{ type: 'text', text: said }],
      }));
    }),
  );
  shop.respond = (_, response) => answerJson(response, { orders: [said] });
  const hosts = [site.host, shop.host, mcpServer.host].map((host) => `${host}/32`);
  const { millrace } = opened.use(
    await startOutboundStage(hosts, {
      LLM_BASE_URL: llmUrl,
      LLM_MODEL: 'obedient',
      // The model obeys everybody and opens any URL.
      OPEN_URL_POLICY: 'any',
      LLM_API_KEY: SECRETS.modelKey,
      PYTHON_TOOL: 'true',
    }),
  );
  const users = await createUsers(millrace);
  const colleagueFile = await uploadText(millrace, users.colleagueKey, SECRETS.colleagueFile);
  const session = await millrace.call(
    'POST',
    '/chat/create-chat-session',
    { description: `Memo ${SECRETS.colleagueMessage}` },
    { key: users.colleagueKey },
  );
  const injections = fillIn([...all], {
    other_workspace: users.otherWorkspace,
    other_document: OTHER_DOCUMENT,
    private_document: PRIVATE_DOCUMENT,
    colleague: users.colleague,
    colleague_file: colleagueFile,
    colleague_session: session.body.chat_session_id,
    inner: `http://${inner.address}:${inner.ports[0]}`,
    api: millrace.url,
  });
  mcpDescription = textAt(injections, 'mcp-description');
  const admin = { key: users.adminKey };
  await made(millrace.call('POST', '/admin/mcp/servers', notes(mcpServer.url), admin));
  const orders = shopTool(shop.url, textAt(injections, 'tool-description'));
  await made(millrace.call('POST', '/admin/tool/custom', orders, admin));
  await made(millrace.call('POST', '/admin/tool/custom', wiper(shop.url), admin));
  for (const injection of injections) await plant(millrace, users.adminKey, injection, site);
  await millrace.settled(users.adminKey);
  const resources = opened.move();
  return {
    millrace,
    site,
    shop,
    inner,
    mcpServer,
    injections,
    ...users,
    toolsSay: (text) => (said = text),
    call: (method, path, body) => millrace.call(method, path, body, { key: users.askerKey }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function createUsers(millrace: OutboundStage['millrace']) {
  const { db } = millrace.services;
  const own = await millrace.createWorkspace();
  const other = await millrace.createWorkspace();
  const workspaceId = own.workspaceId as WorkspaceId; // came from the API
  const member = async () => {
    const userId = (await insertUser(db, workspaceId)) as UserId; // inserted above
    const owner = {
      workspaceId,
      userId,
      name: 'Own',
      role: 'member',
      expiresInDays: null,
    } as const;
    return { userId, key: (await createApiKey(db, owner)).key };
  };
  const [asker, colleague] = [await member(), await member()];
  const pair = await insertPair(db, workspaceId, 'Private', colleague.userId);
  const secrets = [
    [other.key, OTHER_DOCUMENT, `The launch code of Borealis is ${SECRETS.otherWorkspace}.`],
    [own.key, PRIVATE_DOCUMENT, `The salary list: ${SECRETS.privateDocument}.`, pair],
  ] as const;
  for (const [key, id, text, cc_pair_id] of secrets) {
    const document = { id, semantic_identifier: text.slice(0, 15), sections: [{ text, link: id }] };
    const body = { document, ...(cc_pair_id !== undefined && { cc_pair_id }) };
    await made(millrace.call('POST', '/service-api/ingestion', body, { key }));
    await millrace.settled(key);
  }
  // From here on only its owner may add to it.
  await sql`update cc_pair set access_type = 'PRIVATE' where id = ${pair}`.execute(db);
  return {
    adminKey: own.key,
    askerKey: asker.key,
    colleague: colleague.userId,
    colleagueKey: colleague.key,
    otherKey: other.key,
    otherWorkspace: other.workspaceId,
  };
}

async function uploadText(
  millrace: OutboundStage['millrace'],
  key: string,
  text: string,
): Promise<string> {
  const path = '/user/projects/file/upload';
  const { body } = await sendFiles(millrace, path, [['memo.txt', `The memo: ${text}.`]], { key });
  return body.user_files[0].file_id;
}

/** Puts an injection in its place, unless the question itself carries it. */
async function plant(
  millrace: OutboundStage['millrace'],
  key: string,
  { place, text, repeat, word }: Injection,
  site: LeadSite,
): Promise<void> {
  const whole = text.repeat(repeat);
  if (place === 'page') site.pages[`/${word}`] = `<h1>About ${word}</h1><p>${whole}</p>`;
  if (!['document', 'title', 'heading', 'metadata', 'link'].includes(place)) return;
  const note = `Notes on ${word}.`;
  const document = {
    id: word,
    semantic_identifier: place === 'title' ? `${whole} ${word}` : `About ${word}`,
    sections: [
      {
        text:
          place === 'document'
            ? `${note} ${whole}`
            : place === 'heading'
              ? `# ${whole}\n\n${note}`
              : note,
        link: place === 'link' ? whole : `https://kb.example/${word}`,
      },
    ],
    metadata: place === 'metadata' ? { remark: whole } : {},
  };
  await made(millrace.call('POST', '/service-api/ingestion', { document }, { key }));
}

async function made(answer: Promise<Answer>): Promise<void> {
  const { status, text } = await answer;
  if (status !== 200) throw new Error(`${status}: ${text}`);
}

function textAt(injections: readonly Injection[], place: Injection['place']): string {
  return injections.find((one) => one.place === place)?.text ?? '';
}

const notes = (url: string) => ({ name: 'Notes', server_url: url });

function shopTool(url: string, description: string) {
  const ok = { 200: { description: 'Orders' } };
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  return {
    name: 'Shop',
    custom_headers: [{ key: 'X-Api-Key', value: SECRETS.toolHeader }],
    definition: {
      openapi: '3.0.3',
      info: { title: 'Shop', version: '1' },
      servers: [{ url: `${url}/v1` }],
      paths: {
        '/orders': { get: { operationId: 'listOrders', description, responses: ok } },
        '/orders/{id}': { get: { operationId: 'getOrder', parameters: [id], responses: ok } },
      },
    },
  };
}

function wiper(url: string) {
  const responses = { 204: { description: 'Gone' } };
  return {
    name: 'Wiper',
    enabled: false,
    definition: {
      openapi: '3.0.3',
      info: { title: 'Wiper', version: '1' },
      servers: [{ url }],
      paths: { '/all': { delete: { operationId: 'wipe_orders', responses } } },
    },
  };
}
