import { sql } from 'kysely';
import { serverRowName } from '#src/chat/custom-tools/mcp-server-rows.ts';
import type { McpServerId } from '#src/ids.ts';
import type { TestMillrace } from './test-millrace.ts';
import { until } from './until.ts';
import { sendFiles } from './upload-files.ts';

/** Conversations of a workspace's owner, with everything they use. No answer is in progress. */
export interface SeededChat extends ThingsOfChat, SeededTools {
  /** Appears only in what the owner alone may see. */
  diaryWord: string;
  /** In the project, with the private agent, a file, and an answer with feedback whose lines are still stored. */
  chatSessionId: string;
  questionId: number;
  messageId: number;
  /** Shared with the workspace; it has no messages. */
  sharedSessionId: string;
}

interface ThingsOfChat {
  /** Visible only to its maker. */
  agentId: number;
  publicAgentId: number;
  projectId: number;
  /** In the project. */
  userFileId: string;
  /** The stored file behind it. */
  chatFileId: string;
}

interface SeededTools {
  customToolId: number;
  mcpServerId: number;
  /** A tool of that server. */
  mcpToolId: number;
}

interface Owner {
  workspaceId: string;
  key: string;
  /** Appears in every text. */
  marker: string;
}

type Ask = (method: string, path: string, body?: unknown) => Promise<Json>;
type Json = Awaited<ReturnType<TestMillrace['call']>>['body'];

export async function seedChat(millrace: TestMillrace, owner: Owner): Promise<SeededChat> {
  const { marker, key } = owner;
  const ask: Ask = async (method, path, body) => {
    const answer = await millrace.call(method, path, body, { key });
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.text}`);
    return answer.body;
  };
  const diaryWord = `diary-${marker}`;
  const things = await makeThings(millrace, owner, ask, diaryWord);
  const tools = await makeTools(millrace, owner, ask);
  const answer = await ask('POST', '/chat/send-chat-message', {
    message: `How deep is the harbour of ${diaryWord}?`,
    stream: false,
    chat_session_info: { persona_id: things.agentId, project_id: things.projectId },
    file_descriptors: [{ id: things.chatFileId }],
  });
  const { chat_session_id: chatSessionId, message_id: messageId } = answer;
  await ask('POST', '/chat/create-chat-message-feedback', {
    chat_message_id: messageId,
    is_positive: true,
    feedback_text: `Says ${diaryWord}`,
  });
  const session = await ask('GET', `/chat/get-chat-session/${chatSessionId}`);
  const { chat_session_id: sharedSessionId } = await ask('POST', '/chat/create-chat-session', {
    description: `Shared ${marker}`,
  });
  await ask('PATCH', `/chat/chat-session/${sharedSessionId}`, { sharing_status: 'public' });
  await sql`insert into model_usage (workspace_id, day, provider, model, calls, input_tokens,
      output_tokens, reasoning_tokens)
    values (${owner.workspaceId}, current_date, 'seeded', 'seeded', 1, 2, 3, 0)`.execute(
    millrace.services.db,
  );
  await until(() => isSaved(millrace, messageId));
  return {
    ...things,
    ...tools,
    diaryWord,
    chatSessionId,
    questionId: session.messages.find((one: Json) => one.message_type === 'user').message_id,
    messageId,
    sharedSessionId,
  };
}

/** Whether the last line of an answer is in the database, so that nothing more is written. */
async function isSaved({ services }: TestMillrace, messageId: number): Promise<boolean> {
  const { rows } = await sql`select 1 from chat_run run
    join chat_run_part part on part.chat_message_id = run.chat_message_id
    where run.chat_message_id = ${messageId} and run.finished_at is not null
      and part.lines::text like '%"stop"%'`.execute(services.db);
  return rows.length > 0;
}

async function makeThings(
  millrace: TestMillrace,
  { key, marker }: Owner,
  ask: Ask,
  diaryWord: string,
): Promise<ThingsOfChat> {
  const agent = await ask('POST', '/persona', {
    name: `Agent ${diaryWord}`,
    system_prompt: `Be kind to ${diaryWord}.`,
    is_public: false,
  });
  const publicAgent = await ask('POST', '/persona', {
    name: `Agent ${marker}`,
    system_prompt: `Be kind to ${marker}.`,
  });
  const project = await ask('POST', '/user/projects/create', {
    name: `Project ${diaryWord}`,
    instructions: `Mind ${diaryWord}.`,
  });
  const text = `The harbour of ${diaryWord} is seven metres deep.`;
  const sent = await sendFiles(
    millrace,
    '/user/projects/file/upload',
    [[`${diaryWord}.txt`, text, 'text/plain']],
    { key, fields: { project_id: String(project.id) } },
  );
  const [file] = sent.body.user_files;
  await until(async () => {
    const { status } = await ask('GET', `/user/projects/file/${file.id}`);
    return status === 'COMPLETED';
  });
  return {
    agentId: agent.id,
    publicAgentId: publicAgent.id,
    projectId: project.id,
    userFileId: file.id,
    chatFileId: file.file_id,
  };
}

/** One operation with the marker in its name. A workspace may use the URL; nothing calls it. */
export function documentOf(marker: string): object {
  return {
    openapi: '3.1.0',
    info: { title: `Gauge ${marker}`, version: '1' },
    servers: [{ url: 'https://93.184.216.34' }],
    paths: {
      '/depth': {
        get: {
          operationId: `depth_${marker}`,
          summary: `How deep ${marker} is`,
          responses: { 200: { description: 'The depth' } },
        },
      },
    },
  };
}

async function makeTools(
  { services: { db, secrets } }: TestMillrace,
  { workspaceId, marker }: Owner,
  ask: Ask,
): Promise<SeededTools> {
  const tool = await ask('POST', '/admin/tool/custom', {
    name: `Gauge ${marker}`,
    definition: documentOf(marker),
    custom_headers: [{ key: 'X-Api-Key', value: `tool-key-of-${marker}` }],
  });
  // Adding a server would call it, so its rows are inserted here.
  const { rows: servers } = await sql<{ id: McpServerId }>`
    insert into mcp_server (workspace_id, name, server_url)
    values (${workspaceId}, ${`Server ${marker}`}, ${`https://93.184.216.34/${marker}`})
    returning id`.execute(db);
  const [server] = servers;
  if (!server) throw new Error('The MCP server was not inserted.');
  const headers = JSON.stringify([{ key: 'X-Api-Key', value: `mcp-key-of-${marker}` }]);
  await sql`update mcp_server set sealed_headers = ${secrets.seal(headers, serverRowName(server.id))}
    where id = ${server.id}`.execute(db);
  const definition = { name: `tide_${marker}`, inputSchema: { type: 'object' } };
  const { rows: tools } = await sql<{ id: number }>`
    insert into custom_tool (workspace_id, mcp_server_id, name, display_name, description, definition,
      enabled)
    values (${workspaceId}, ${server.id}, ${`tide_${marker}`}, ${`Tide ${marker}`},
      ${`Tells the tide of ${marker}`}, ${JSON.stringify(definition)}, false)
    returning id`.execute(db);
  return { customToolId: tool.id, mcpServerId: server.id, mcpToolId: tools[0]?.id ?? 0 };
}

/** The attacker's own things that are combined with those of the target. */
export interface OwnThings extends Pick<ThingsOfChat, 'projectId' | 'userFileId' | 'chatFileId'> {
  chatSessionId: string;
}

export async function makeOwnThings(millrace: TestMillrace, key: string): Promise<OwnThings> {
  const ask: Ask = async (method, path, body) =>
    (await millrace.call(method, path, body, { key })).body;
  const session = await ask('POST', '/chat/create-chat-session', {});
  const project = await ask('POST', '/user/projects/create', { name: 'Own' });
  const sent = await sendFiles(millrace, '/user/projects/file/upload', [['own.txt', 'Own.']], {
    key,
  });
  const [file] = sent.body.user_files;
  return {
    chatSessionId: session.chat_session_id,
    projectId: project.id,
    userFileId: file.id,
    chatFileId: file.file_id,
  };
}
