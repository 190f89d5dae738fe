import { describe, expect, it } from 'vitest';
import type { ChatModel, ChatModelRequest } from '#src/chat/model/chat-model.ts';
import type { ChatModels } from '#src/chat/model/chat-models.ts';
import { assertConfigured, findModel } from '#src/chat/sessions/session-model.ts';
import { titleField, titleFromWords } from '#src/chat/sessions/session-title.ts';
import { writeTitle } from '#src/chat/sessions/write-title.ts';
import type { WorkspaceId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';

const WORKSPACE = 'w' as WorkspaceId; // any text will do

describe('a title made from the question', () => {
  it.each<[string, string | null]>([
    ['', null],
    ['  \n\t ', null],
    ['```\n```', null],
    ['?!…', null],
    ['\0\uFEFF', null],
    ['Hello', 'Hello'],
    ['## Hello\n\nthere', 'Hello there'],
    ['> - **Hello** there', 'Hello** there'],
    ['```ts\nconst a = 1;\n```', 'const a = 1;'],
    ['One\u2028two\u202Ethree\u0007four', 'One two three four'],
    ['Half \uD83D of a pair', 'Half \uFFFD of a pair'],
    ['你好,咖啡机怎么除垢?', '你好,咖啡机怎么除垢?'],
  ])('for %j is %j', (text, title) => {
    expect(titleFromWords(text)).toBe(title);
  });

  it.each([
    'word '.repeat(100),
    'x'.repeat(100_000),
    '字'.repeat(500),
    '👩‍👩‍👧‍👦'.repeat(50),
    `${'e\u0301'.repeat(200)}`,
    `${'x'.repeat(59)} y`,
    `${'x'.repeat(60)} y`,
  ])('never exceeds 60 characters or splits a character', (text) => {
    const title = titleFromWords(text);
    expect(title?.length).toBeLessThanOrEqual(60);
    expect(title?.length).toBeGreaterThan(10);
    expect(title?.endsWith('…')).toBe(true);
    expect(title?.isWellFormed()).toBe(true);
    expect(text.startsWith(title?.slice(0, -1) ?? '-')).toBe(true);
    if (text.startsWith('👩')) expect((title?.length ?? 0) % 11).toBe(1);
  });

  it('ends at a word boundary', () => {
    expect(titleFromWords(`${'abcdefgh '.repeat(6)}ijklmnopqrst`)).toBe(
      `${'abcdefgh '.repeat(6).trim()}…`,
    );
  });
});

describe('a title given by the user', () => {
  it('is one clean line, or null', () => {
    expect(titleField.parse(' A\0\r\n title ')).toBe('A title');
    expect(titleField.parse(' \n ')).toBeNull();
    expect(() => titleField.parse('x'.repeat(501))).toThrow();
  });
});

/** A scripted model that records its requests. */
function modelThat(
  stream: (request: ChatModelRequest) => ReturnType<ChatModel['stream']>,
): ChatModel & { asked: ChatModelRequest[] } {
  const asked: ChatModelRequest[] = [];
  return {
    provider: 'p',
    name: 'org/m',
    contextTokens: 8_000,
    callsTools: true,
    readsImages: false,
    asked,
    stream(request) {
      asked.push(request);
      return stream(request);
    },
  };
}

function modelThatSays(...texts: string[]) {
  return modelThat(async function* () {
    await Promise.resolve();
    for (const text of texts) yield { type: 'text', text };
    const usage = { inputTokens: 7, outputTokens: 3, reasoningTokens: 0 };
    yield { type: 'finish', reason: 'stop', usage };
  });
}

function servicesWith(model: ChatModel | null) {
  const recorded: unknown[] = [];
  const chatModels: ChatModels = {
    default: model,
    vision: null,
    all: model ? [model] : [],
    named: new Map(),
    choose: () => model,
  };
  const usageLedger = {
    record: (...usage: unknown[]) => void recorded.push(usage),
    idle: async () => undefined,
  };
  return { chatModels, usageLedger, recorded };
}

const BEGINNING = { question: 'How do I descale it?', answer: '' };
const never = new AbortController().signal;

describe('a title written by a model', () => {
  it('is null without a model', async () => {
    expect(await writeTitle(servicesWith(null), WORKSPACE, BEGINNING, never)).toBeNull();
  });

  it.each([
    [['**"Descaling', ' the machine."**\n', 'I chose it because'], 'Descaling the machine'],
    [['\n\nTitle: Descaling'], 'Descaling'],
    [['„Kaffee“'], 'Kaffee'],
    [[''], null],
    [['***'], null],
    [['x'.repeat(5_000)], `${'x'.repeat(59)}…`],
  ])('from %j is %j', async (texts, title) => {
    const services = servicesWith(modelThatSays(...texts));
    expect(await writeTitle(services, WORKSPACE, BEGINNING, never)).toBe(title);
    expect(services.recorded).toEqual([
      [
        WORKSPACE,
        expect.objectContaining({ provider: 'p' }),
        expect.objectContaining({ inputTokens: 7 }),
      ],
    ]);
  });

  it('is null when the model fails, and the request offers no tools', async () => {
    const model = modelThat(async function* () {
      yield await Promise.reject<never>(new Problem('BAD_GATEWAY', 'The provider is down.'));
    });
    expect(await writeTitle(servicesWith(model), WORKSPACE, BEGINNING, never)).toBeNull();
    expect(model.asked[0]?.tools).toBeUndefined();
    expect(JSON.stringify(model.asked[0]?.messages)).toContain(BEGINNING.question);
  });

  it('ends when the client leaves, and lets a bug surface', async () => {
    const controller = new AbortController();
    const gone = new Error('The client has gone away.');
    const model = modelThat(async function* ({ signal }) {
      yield { type: 'text', text: 'a' };
      controller.abort(gone);
      await Promise.resolve();
      signal.throwIfAborted();
    });
    const services = servicesWith(model);
    await expect(writeTitle(services, WORKSPACE, BEGINNING, controller.signal)).rejects.toBe(gone);
    const broken = modelThat(async function* () {
      yield await Promise.reject<never>(new TypeError('broken'));
    });
    const title = writeTitle(servicesWith(broken), WORKSPACE, BEGINNING, never);
    await expect(title).rejects.toThrow('broken');
  });

  it('is requested with only the beginning of the conversation', async () => {
    const model = modelThatSays('Long');
    const long = { question: 'q'.repeat(50_000), answer: 'a'.repeat(50_000) };
    await writeTitle(servicesWith(model), WORKSPACE, long, never);
    expect(JSON.stringify(model.asked[0]?.messages).length).toBeLessThan(6_000);
  });
});

describe('the model of a session', () => {
  it('is found by its name, with or without its provider, even if it contains slashes', () => {
    const model = modelThatSays('');
    const { chatModels } = servicesWith(model);
    expect(findModel(chatModels, 'org/m')).toBe(model);
    expect(findModel(chatModels, 'p/org/m')).toBe(model);
    expect(findModel(chatModels, 'm')).toBeNull();
    expect(() => assertConfigured(chatModels, 'm')).toThrow('p/org/m');
    expect(() => assertConfigured(servicesWith(null).chatModels, 'm')).toThrow('extractive');
  });
});
