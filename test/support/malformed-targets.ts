import { DEFINITION, type Json, type Operation, standsAlone } from './openapi-operations.ts';
import type { TestMillrace } from './test-millrace.ts';
import { sendFiles } from './upload-files.ts';

/**
 * Ids of existing things, so that not every request fails for lack of one. Keys are the first part of the paths that
 * name a thing, followed where needed by the parameter, or the name of a field, such as `.message_id`.
 */
export type Targets = Record<string, string | number>;

/** Creates one of each thing that the requests can target. */
export async function makeTargets(millrace: Served): Promise<Targets> {
  const make = async (path: string, body: object): Promise<Json> => {
    const answer = await millrace.call('POST', path, body);
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.text}`);
    return answer.body;
  };
  const endpoint = await make('/webhook-endpoints', { url: 'http://127.0.0.1:4999/target' });
  const ping = await make(`/webhook-endpoints/${endpoint['id']}/test`, {});
  const member = await make('/account/members', { display_name: 'Target' });
  await make('/tools/lead-scraper', { mode: 'keyword_search', query: 'target' });
  const listed = await millrace.call('GET', '/tools/lead-scraper');
  const account = await make('/email-accounts', {
    email: 'target@example.net',
    smtp_host: '127.0.0.1',
    smtp_port: 2525,
    smtp_password: 'target',
  });
  const { workspaceId } = await millrace.createWorkspace('Free');
  return {
    ...(await makeChatTargets(millrace, make)),
    'webhook-endpoints': endpoint['id'],
    'webhook-events': ping['event_id'],
    'webhook-deliveries': String(ping['delivery_id']),
    tools: listed.body.scrapes[0].scrape_id,
    'email-accounts': account['id'],
    account: member['user_id'],
    manage: workspaceId,
  };
}

type Served = Pick<TestMillrace, 'adminKey' | 'call' | 'createWorkspace' | 'url'>;
type Make = (path: string, body: object) => Promise<Json>;

async function makeChatTargets(millrace: Served, make: Make): Promise<Targets> {
  const answer = await make('/chat/send-chat-message', { message: 'Target', stream: false });
  const agent = await make('/persona', { name: 'Target' });
  const project = await make('/user/projects/create', { name: 'Target' });
  const tool = await make('/admin/tool/custom', { name: 'Target', definition: DEFINITION });
  const sent = await sendFiles(millrace, '/user/projects/file/upload', [['target.txt', 'Target.']]);
  const [file] = sent.body.user_files;
  return {
    chat: answer['chat_session_id'],
    'chat/file_id': file.file_id,
    persona: agent['id'],
    user: project['id'],
    'user/chat_session_id': answer['chat_session_id'],
    'user/file_id': file.id,
    tool: tool['id'],
    admin: tool['id'],
    '.session_id': answer['chat_session_id'],
    '.chat_session_id': answer['chat_session_id'],
    '.chat_message_id': answer['message_id'],
    '.message_id': answer['message_id'],
    '.persona_id': agent['id'],
  };
}

/** The operation's sample, with the ids of targets in the fields that need existing things. */
export function aimedAt(targets: Targets, operation: Operation): unknown {
  const { sample } = operation;
  if (typeof sample !== 'object' || sample === null || standsAlone(operation)) return sample;
  return Object.fromEntries(
    Object.entries(sample).map(([name, value]) => [name, targets[`.${name}`] ?? value]),
  );
}
