import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assemble, readChatBody } from '#test/support/chat-streams.ts';
import {
  answersText,
  callsTools,
  type ScriptedLlm,
  startLlm,
  toolResults,
} from '#test/support/scripted-llm.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';

/** A model's answer about code; only the last bracket is a citation. */
const SAID = [
  'Read `sys.argv[1]`, then arr[0] and list[1]; the set is {1}.',
  '```py\nfirst = argv[1] if [1, 2] else x[[1]](y)\n```',
  '~~~\n[1] [9]\n~~~',
  '    indented [1]',
  String.raw`Maths: $x_{1} [1]$ and \([1]\). A link: [1](https://else.example/x).`,
  'Reset it in the portal',
].join('\n\n');
const MARK = '[[1]](https://kb.example/vpn)';
const CHAT = '/chat/send-chat-message';
const MESSAGE = 'How do I reset the VPN?';

let llm: ScriptedLlm;
let searches: boolean;
let said: string;
let millrace: TestMillrace;

beforeAll(async () => {
  llm = await startLlm((body) =>
    searches && toolResults(body).length === 0
      ? callsTools([{ name: 'internal_search', args: { queries: ['reset VPN'] } }])
      : answersText(...said.split('')),
  );
  millrace = await startTestMillrace({ LLM_BASE_URL: llm.baseUrl, LLM_MODEL: 'scripted' });
  await millrace.call('POST', '/service-api/ingestion', {
    document: {
      id: 'vpn',
      semantic_identifier: 'About the VPN',
      sections: [{ text: 'To reset the VPN, press reset.', link: 'https://kb.example/vpn' }],
      source: 'web',
      metadata: {},
    },
  });
  await millrace.settled();
});
afterAll(async () => {
  await millrace[Symbol.asyncDispose]();
  await llm[Symbol.asyncDispose]();
});

async function saved(sessionId: string): Promise<{ message: string; citations: unknown }> {
  const { body } = await millrace.call('GET', `/chat/get-chat-session/${sessionId}`);
  return body.messages.at(-1);
}

async function reference(): Promise<{ text: string; citations: unknown[] }> {
  const session = await millrace.call('POST', '/chat/session', { title: 'Code' });
  const { session_id } = session.body;
  const { text } = await millrace.call('POST', '/chat/send-message', {
    session_id,
    message: MESSAGE,
  });
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { content?: string; citations?: unknown[] });
  return {
    text: lines.map(({ content }) => content ?? '').join(''),
    citations: lines.at(-1)?.citations ?? [],
  };
}

describe('an answer about code', () => {
  it('keeps the text of the model with its citation, in all formats', async () => {
    searches = true;
    said = `${SAID} [1].`;
    const stream = await millrace.call('POST', CHAT, { message: MESSAGE, stream: true });
    const answer = assemble(readChatBody(stream.status, stream.text));
    expect(answer.answer).toBe(`${SAID} ${MARK}.`);
    expect(answer.citation_info).toHaveLength(1);
    const { body } = await millrace.call('POST', CHAT, { message: MESSAGE, stream: false });
    expect(body).toMatchObject({
      answer: `${SAID} ${MARK}.`,
      answer_citationless: `${SAID}.`,
      citation_info: [{ citation_number: 1, document_id: 'vpn' }],
    });
    expect(await saved(body.chat_session_id)).toMatchObject({
      message: `${SAID} ${MARK}.`,
      citations: { 1: 'vpn' },
    });
    expect(await reference()).toMatchObject({
      text: `${SAID} [1].`,
      citations: [{ doc_id: 'vpn' }],
    });
  });

  it('keeps the text of the model when nothing was searched, including numbers in brackets', async () => {
    searches = false;
    said = `${SAID}. The set is [1, 2, 3]. [9]`;
    const { body } = await millrace.call('POST', CHAT, {
      message: MESSAGE,
      stream: false,
      allowed_tool_ids: [],
    });
    expect(body).toMatchObject({ answer: said, answer_citationless: said, citation_info: [] });
    expect(await saved(body.chat_session_id)).toMatchObject({ message: said, citations: {} });
  });

  it('labels the first block without a language for the platform family alone, and with sources', async () => {
    const code = '```\none\n```\n\n```\ntwo\n```\n\nReset it in the portal';
    const labelled = code.replace('```', '```plaintext');
    const ask = async (fields: object): Promise<string> => {
      const { body } = await millrace.call('POST', CHAT, {
        message: MESSAGE,
        stream: false,
        ...fields,
      });
      return body.answer;
    };
    searches = true;
    said = `${code} [1].`;
    expect(await ask({})).toBe(`${labelled} ${MARK}.`);
    expect(await reference()).toMatchObject({ text: `${code} [1].` });
    searches = false;
    said = `${code}.`;
    expect(await ask({ allowed_tool_ids: [] })).toBe(said);
    expect(await reference()).toMatchObject({ text: said });
  });
});
