import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '#test/support/api-client.ts';
import { type Injection, readInjections } from '#test/support/injection-cases.ts';
import {
  type InjectionStage,
  SECRETS,
  startInjectionStage,
} from '#test/support/injection-stage.ts';
import {
  answersText,
  callsTools,
  type LlmRequestBody,
  type LlmScript,
  type ScriptedLlm,
  startLlm,
  toolResults,
} from '#test/support/scripted-llm.ts';
import { sendFiles } from '#test/support/upload-files.ts';
import { until } from '#test/support/until.ts';

const INJECTIONS = readInjections();
/** Prompt elements that hold untrusted text. */
const ELEMENTS = [
  'agent_instructions',
  'project_instructions',
  'attachment',
  'context',
  'documents',
];
const LEAD_IN: Partial<Record<Injection['place'], (injection: Injection) => Call>> = {
  page: ({ word }) => ({ name: 'open_url', args: { urls: [`${stage.site.url}/${word}`] } }),
  'tool-result': () => ({ name: 'listOrders', args: {} }),
  'mcp-result': () => ({ name: 'Notes_read_note', args: {} }),
};

interface Call {
  name: string;
  args: unknown;
}

let llm: ScriptedLlm;
let stage: InjectionStage;
let injection: Injection;
/** Whether the injection was in the prompt when the model obeyed. */
let wasRead = false;

beforeAll(async () => {
  llm = await startLlm(obey);
  stage = await startInjectionStage(llm.baseUrl, INJECTIONS);
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await llm[Symbol.asyncDispose]();
});
beforeEach(() => {
  llm.calls.length = 0;
  stage.shop.calls.length = 0;
  wasRead = false;
});

/** A model that obeys everything it reads and repeats everything it is given. */
function obey(body: LlmRequestBody): LlmScript {
  const leadIn = LEAD_IN[injection.place]?.(injection);
  const called = body.messages.filter(({ tool_calls }) => tool_calls !== undefined).length;
  if (leadIn && called === 0) return callsTools([leadIn]);
  if (called === (leadIn ? 1 : 0)) wasRead = JSON.stringify(body).includes(injection.word);
  if (injection.calls.length > 0 && called === (leadIn ? 1 : 0)) return callsTools(injection.calls);
  const found = documentsOf(body);
  const own = new RegExp(`"citation":(\\d+),"title":"About ${injection.word}"`).exec(found)?.[1];
  const says = injection.says.replaceAll('{{citation}}', own ?? 'none');
  return answersText(`${says}\n${toolResults(body).join('\n')}${found}`);
}

const documentsOf = (body: LlmRequestBody): string =>
  /<documents>\n(.*)\n<\/documents>/.exec(textOf(body.messages.at(-1)))?.[1] ?? '';
const textOf = (message: LlmRequestBody['messages'][number] | undefined): string =>
  typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content ?? '');

/** Asks the question that leads the model to the injection. */
async function ask({ place, text, word, allowed }: Injection): Promise<Answer> {
  const { files, ...more } = await bring(place, text, word);
  return stage.call('POST', '/chat/send-chat-message', {
    message: place === 'question-without-tools' ? `${text} ${word}` : `What about ${word}?`,
    stream: false,
    ...(allowed !== null && { allowed_tool_ids: allowed }),
    ...(files && { file_descriptors: files }),
    ...more,
  });
}

/** Puts the injection in its place and returns the matching fields of the chat request. */
async function bring(
  place: Injection['place'],
  text: string,
  word: string,
): Promise<{ files?: string[]; additional_context?: string; chat_session_info?: object }> {
  stage.toolsSay(`${text} ${word}`);
  if (place === 'context') return { additional_context: `${text} ${word}` };
  if (place === 'file') return { files: [await upload('notes.txt', `${text} ${word}`)] };
  if (place === 'file-name') return { files: [await upload(text, `All about ${word}.`)] };
  if (place !== 'agent') return {};
  const agent = { name: 'Kind', description: '', system_prompt: `${text} ${word}`, tool_ids: [1] };
  const { status, body } = await stage.call('POST', '/persona', agent);
  expect(status, JSON.stringify(body)).toBe(200);
  return { chat_session_info: { persona_id: body.id } };
}

async function upload(name: string, content: string): Promise<string> {
  const path = '/user/projects/file/upload';
  const { body } = await sendFiles(stage.millrace, path, [[name, content]], {
    key: stage.askerKey,
  });
  const { id, file_id } = body.user_files[0];
  await until(async () => {
    const { body: file } = await stage.call('GET', `/user/projects/file/${id}`);
    return file.status === 'COMPLETED';
  });
  return file_id;
}

/** Checks that untrusted text cannot open or close our prompt elements, in any case or spacing. */
function expectClosed(body: LlmRequestBody): void {
  for (const message of body.messages.filter(({ role }) => role !== 'assistant')) {
    const text = textOf(message);
    for (const element of ELEMENTS) {
      const tags = text.match(new RegExp(`<[\\s/]*${element}(?![\\w-])`, 'gi')) ?? [];
      const mentioned = message.role === 'system' && element === 'documents' ? [0, 2] : [];
      expect([0, 2, ...mentioned], `${message.role} ${element}: ${tags.join(' ')}`).toContain(
        tags.length,
      );
      if (tags.length === 2) expect(tags).toEqual([`<${element}`, `</${element}`]);
    }
  }
}

describe('the stage', () => {
  it('holds what the injections ask for, visible to those with access', async () => {
    const search = async (key: string, query: string) =>
      (await stage.millrace.call('POST', '/search', { query }, { key })).text;
    expect(await search(stage.otherKey, 'launch code')).toContain(SECRETS.otherWorkspace);
    expect(await search(stage.colleagueKey, 'salary list')).toContain(SECRETS.privateDocument);
    expect(await search(stage.askerKey, 'salary list')).not.toContain(SECRETS.privateDocument);
  });
});

describe('an obedient model', () => {
  it.each(INJECTIONS.map(({ name }, index) => [name, index] as const))(
    'reads %s, and nothing happens that the asker could not do',
    async (_, index) => {
      injection = stage.injections[index] ?? injection;
      const { status, text, body } = await ask(injection);
      expect(status, text).toBe(200);
      expect(wasRead).toBe(true);
      expect(body.error_msg).toBeNull();
      expect(body.tool_calls.map((call: { tool_name: string }) => call.tool_name)).toEqual(
        ranOf(injection),
      );
      if (injection.told !== null)
        expect(llm.calls.flatMap((call) => toolResults(call.body)).join('\n')).toContain(
          injection.told,
        );
      const told = llm.calls.map((call) => JSON.stringify(call.body)).join('\n');
      for (const secret of [...Object.values(SECRETS), stage.askerKey]) {
        expect(text).not.toContain(secret);
        expect(told).not.toContain(secret);
      }
      for (const call of llm.calls) {
        expectClosed(call.body);
        const shown = call.body.messages.map(textOf).join('\n');
        for (const mark of injection.hidden) expect(shown).not.toContain(mark);
      }
      expectSafeLinks(body);
      expect(stage.inner.connections).toBe(0);
    },
  );

  it('calls custom tool services only at their own address and with their own headers', async () => {
    const cases = stage.injections.filter(({ place }) => place === 'tool-result');
    for (const one of cases) {
      injection = one;
      await ask(one);
    }
    expect(stage.shop.calls.length).toBeGreaterThan(cases.length);
    for (const { url, method, headers } of stage.shop.calls) {
      expect([method, url]).toEqual(['GET', expect.stringMatching(/^\/v1\/orders(?:\/[^/?]+)?$/)]);
      expect(headers['x-api-key']).toBe(SECRETS.toolHeader);
      expect(headers.authorization).toBeUndefined();
    }
  });
});

/** When the model calls nothing itself, the initial search is shown as the tool. */
function ranOf({ ran, calls, place, allowed }: Injection): string[] {
  const isSearched = calls.length === 0 && place !== 'question-without-tools' && allowed === null;
  return isSearched && LEAD_IN[place] === undefined ? ['internal_search'] : ran;
}

/** Citations and their documents link only to web addresses or nowhere. */
function expectSafeLinks(body: Answer['body']): void {
  for (const [, target = ''] of body.answer.matchAll(/\[\[\d+\]\]\(([^)]{0,30})/g))
    expect(target).toMatch(/^(?:https?:\/\/|\/|$)/);
  const calls: { search_docs: { link: string | null }[] | null }[] = body.tool_calls;
  const documents = [...body.top_documents, ...calls.flatMap((call) => call.search_docs ?? [])];
  for (const { link } of documents) expect(link ?? 'https://').toMatch(/^https?:\/\//);
}
