import { EventSource } from 'eventsource';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { collectAnswer } from '#src/client/collect-answer.ts';
import { createMillraceClient, type MillraceClient } from '#src/client/millrace-client.ts';
import { type StreamLine, streamLineSchema } from '#src/client/packets.ts';
import {
  answersText,
  END_EVENTS,
  type LlmScript,
  plays,
  playsAndHangs,
  reasoningEvent,
  type ScriptedLlm,
  startLlm,
  textEvent,
} from '#test/support/scripted-llm.ts';
import { openTcpProxy, type TcpProxy } from '#test/support/tcp-proxy.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

let llm: ScriptedLlm;
let script: LlmScript;
let millrace: TestMillrace;
let proxy: TcpProxy;
let client: MillraceClient;

beforeAll(async () => {
  llm = await startLlm(() => script);
  millrace = await startTestMillrace({
    LLM_BASE_URL: llm.baseUrl,
    LLM_MODEL: 'scripted',
    CHAT_RESUME_SECONDS: '0',
  });
  const { port } = new URL(millrace.url);
  proxy = await openTcpProxy({ host: '127.0.0.1', port: Number(port) });
  client = clientAt(millrace.url);
});
afterEach(() => proxy.up().catch(() => undefined));
afterAll(async () => {
  await proxy.down();
  await millrace[Symbol.asyncDispose]();
  await llm[Symbol.asyncDispose]();
});

function clientAt(baseUrl: string): MillraceClient {
  return createMillraceClient({ baseUrl, apiKey: millrace.adminKey });
}

const ASKED = { message: 'Tell me', allowed_tool_ids: [] };

describe('an answer', () => {
  it('is the same as one object, as events and as bare lines', async () => {
    script = plays(reasoningEvent('Hm.'), textEvent('Größe: '), textEvent('3 [9].'), END_EVENTS);
    const { tool_calls: _, ...whole } = await client.chat.send(ASKED);
    expect(whole).toMatchObject({ answer: 'Größe: 3 [9].', pre_answer_reasoning: 'Hm.' });
    for (const baseUrl of [millrace.url, `${millrace.url}/api/`]) {
      const assembled = await collectAnswer(clientAt(baseUrl).chat.stream(ASKED));
      const ids = {
        message_id: expect.any(Number) as unknown,
        chat_session_id: expect.any(String) as unknown,
      };
      expect(assembled).toEqual({ ...whole, ...ids });
    }
  });

  it('that is refused throws an error with its code and request id', async () => {
    const refused = client.chat.send({ ...ASKED, forced_tool_id: 77 });
    await expect(refused).rejects.toMatchObject({
      status: 400,
      errorCode: 'BAD_REQUEST',
      detail: expect.stringContaining('forced_tool_id') as unknown,
      requestId: expect.any(String) as unknown,
    });
  });

  it('ends when its reader leaves the loop', async () => {
    script = playsAndHangs(textEvent('Half'));
    for await (const line of client.chat.stream(ASKED)) {
      if ('obj' in line && line.obj.type === 'message_delta') break;
    }
    await until(async () => llm.inProgress() === 0);
  });

  it('that ended while the connection was lost ends with the reason and is kept', async () => {
    script = playsAndHangs(textEvent('Half'));
    const through = clientAt(`http://127.0.0.1:${proxy.port}`);
    const lines: StreamLine[] = [];
    for await (const line of through.chat.stream(ASKED)) {
      lines.push(line);
      if (!('obj' in line) || line.obj.type !== 'message_delta') continue;
      await proxy.down();
      // A client that comes back sooner finds the answer still being written.
      await until(async () => millrace.services.answerRuns.size === 0);
      await proxy.up();
    }
    expect(lines.at(-1)).toMatchObject({
      obj: { type: 'error', message: expect.stringMatching(/went away/) as unknown },
    });
    await until(async () => llm.inProgress() === 0);
    const session = lines.find((line) => 'chat_session_id' in line)?.chat_session_id ?? '';
    const { messages } = await client.sessions.get(session);
    expect(messages.at(-1)).toMatchObject({ message: 'Half' });
  });

  it('continues after its connection broke while another client reads it', async () => {
    const gate = Promise.withResolvers<void>();
    script = async (response) => {
      await playsAndHangs(textEvent('Half '))(response);
      await gate.promise;
      response.end(textEvent('and whole.') + END_EVENTS);
    };
    const through = clientAt(`http://127.0.0.1:${proxy.port}`);
    const others: Promise<string>[] = [];
    let sessionId = '';
    async function* broken(): AsyncGenerator<StreamLine> {
      for await (const line of through.chat.stream(ASKED)) {
        if ('chat_session_id' in line) sessionId = line.chat_session_id;
        yield line;
        if (!('obj' in line) || line.obj.type !== 'message_delta' || others.length > 0) continue;
        const following = client.chat.follow(sessionId);
        await following.next();
        others.push(collectAnswer(following).then(({ answer }) => answer));
        await proxy.down();
        await proxy.up();
        gate.resolve();
      }
    }
    expect((await collectAnswer(broken())).answer).toBe('Half and whole.');
    expect(await Promise.all(others)).toEqual(['Half and whole.']);
  });
});

describe('the client', () => {
  it('creates, lists, renames, stops and deletes sessions', async () => {
    const { chat_session_id: id } = await client.sessions.create({ description: 'Mine' });
    script = playsAndHangs(textEvent('Half'));
    const lines: StreamLine[] = [];
    for await (const line of client.chat.stream({ ...ASKED, chat_session_id: id })) {
      lines.push(line);
      if ('obj' in line && line.obj.type === 'message_delta') await client.sessions.stop(id);
    }
    expect(lines.at(-1)).toMatchObject({ obj: { type: 'stop', stop_reason: 'user_cancelled' } });
    expect((await client.sessions.list({ pageSize: 1 })).sessions).toMatchObject([
      { id, name: 'Mine' },
    ]);
    expect(await client.sessions.rename(id, 'Yours')).toBe('Yours');
    expect(await client.sessions.get(id)).toMatchObject({ description: 'Yours' });
    await client.sessions.delete(id, { isFinal: true });
    await expect(client.sessions.get(id)).rejects.toMatchObject({ errorCode: 'NOT_FOUND' });
  });

  it('uploads, reads, downloads and asks about files, and reports unusable ones', async () => {
    const uploaded = await client.files.upload([
      new File(['The code is 4711.'], 'code.txt'),
      new File([new Uint8Array([0, 1, 2, 3, 0, 5])], 'junk.bin'),
    ]);
    expect(uploaded.rejected_files).toMatchObject([{ file_name: 'junk.bin' }]);
    const [file] = await client.files.read(uploaded.user_files);
    expect(file).toMatchObject({ status: 'COMPLETED', name: 'code.txt' });
    expect(await (await client.files.download(file?.file_id ?? '')).text()).toBe(
      'The code is 4711.',
    );
    script = answersText('4711');
    await client.chat.send({ ...ASKED, file_descriptors: [file?.file_id ?? ''] });
    expect(JSON.stringify(llm.calls.at(-1)?.body)).toContain('The code is 4711.');
  });

  it('lists tools and agents', async () => {
    expect((await client.tools.list()).map(({ id }) => id)).toContain(1);
    expect((await client.agents.list())[0]).toMatchObject({ id: 0 });
  });
});

describe('an EventSource', () => {
  it('follows an answer from its last event on, with its own header', async () => {
    const gate = Promise.withResolvers<void>();
    script = async (response) => {
      await playsAndHangs(textEvent('One '))(response);
      await gate.promise;
      response.end(textEvent('two.') + END_EVENTS);
    };
    const asked = client.chat.stream(ASKED);
    const first = (await asked.next()).value;
    if (first === undefined || !('chat_session_id' in first))
      throw new Error('The answer has no chat session.');
    const answer = collectAnswer(asked);
    const source = new EventSource(
      `${millrace.url}/chat/chat-session/${first.chat_session_id}/resume-stream`,
      {
        fetch: (url, init) =>
          fetch(url, {
            ...init,
            headers: { ...init.headers, authorization: `Bearer ${millrace.adminKey}` },
          }),
      },
    );
    const seen: string[] = [];
    await new Promise<void>((resolve) => {
      source.addEventListener('message', ({ data, lastEventId }) => {
        expect(lastEventId).toBe(String(seen.length));
        seen.push(data as string);
        gate.resolve();
        const line = streamLineSchema.parse(JSON.parse(data as string));
        if ('obj' in line && line.obj.type === 'stop') resolve();
      });
    });
    source.close();
    expect(seen[0]).toContain(first.chat_session_id);
    expect((await answer).answer).toBe('One two.');
  });
});
