// @module-tag processes
// @module-tag database
// @module-tag queues
import { sql } from 'kysely';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { beginAnswer } from '#test/support/begin-answer.ts';
import { assemble, readChatBody } from '#test/support/chat-streams.ts';
import type { ServiceProcess } from '#test/support/child-process.ts';
import {
  END_EVENTS,
  playsAndHangs,
  type ScriptedLlm,
  startLlm,
  textEvent,
} from '#test/support/scripted-llm.ts';
import { openTcpProxy, type TcpProxy } from '#test/support/tcp-proxy.ts';
import { openTestProcesses, type TestProcesses } from '#test/support/test-processes.ts';
import { untilRecovered } from '#test/support/until.ts';

const OUTAGE_MS = 1_000;
const { TEST_DATABASE_URL: databaseUrl } = process.env;

let llm: ScriptedLlm;
let gate: PromiseWithResolvers<void>;
let proxy: TcpProxy;
let processes: TestProcesses;
let api: ServiceProcess;

const begin = () => beginAnswer({ url: processes.service.url, adminKey: processes.service.key });
const messageOf = (id: number) =>
  processes.db
    .selectFrom('chat_message')
    .select(['content', 'error', 'finished_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

describe.skipIf(databaseUrl === undefined)(
  'an answer during a database outage (needs TEST_DATABASE_URL)',
  () => {
    beforeAll(async () => {
      llm = await startLlm(() => async (response) => {
        await playsAndHangs(textEvent('Half an answer'))(response);
        await gate.promise;
        response.end(textEvent(' and the rest.') + END_EVENTS);
      });
      const { hostname, port } = new URL(databaseUrl ?? '');
      proxy = await openTcpProxy({ host: hostname, port: Number(port) });
      processes = await openTestProcesses((settings) => {
        const url = new URL(settings['DATABASE_URL'] ?? '');
        url.host = `127.0.0.1:${proxy.port}`;
        return {
          DATABASE_URL: url.href,
          LLM_BASE_URL: llm.baseUrl,
          LLM_MODEL: 'scripted',
          CHAT_RESUME_SECONDS: '0',
        };
      });
      api = await processes.startApi();
    });
    afterAll(async () => {
      await processes?.[Symbol.asyncDispose]();
      await proxy?.down();
      await llm?.[Symbol.asyncDispose]();
    });
    beforeEach(() => {
      gate = Promise.withResolvers();
    });

    it('in its middle continues and is complete, for its reader and in its session', async () => {
      const reader = await begin();
      await proxy.down();
      await pause(OUTAGE_MS);
      await proxy.up();
      gate.resolve();
      const stream = readChatBody(200, await reader.rest());
      expect(assemble(stream)).toMatchObject({
        answer: 'Half an answer and the rest.',
        error_msg: null,
      });
      expect(await messageOf(reader.messageId)).toMatchObject({
        content: 'Half an answer and the rest.',
        error: null,
      });
      expect(api.ending()).toBeNull();
    });

    it('at its end waits until it can be saved', async () => {
      const reader = await begin();
      await proxy.down();
      gate.resolve();
      const rest = reader.rest();
      await pause(OUTAGE_MS);
      await proxy.up();
      const stream = readChatBody(200, await rest);
      expect(stream.packets.at(-1)?.obj).toEqual({ type: 'stop', stop_reason: null });
      expect(await messageOf(reader.messageId)).toMatchObject({
        content: 'Half an answer and the rest.',
        error: null,
      });
      await untilRecovered(async () => {
        const { rows } = await sql`select 1 from chat_run where finished_at is null`.execute(
          processes.db,
        );
        return rows.length === 0;
      });
    });

    it('before its first line is refused, and the next one is not', async () => {
      await proxy.down();
      const refused = await processes.client.call('POST', '/chat/send-chat-message', {
        message: 'Hello',
        stream: true,
      });
      expect([refused.status, refused.body.error_code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(refused.headers.get('Retry-After')).not.toBeNull();
      await proxy.up();
      gate.resolve();
      const reader = await begin();
      expect(assemble(readChatBody(200, await reader.rest())).error_msg).toBeNull();
    });

    it('whose client disconnects meanwhile is saved after the outage', async () => {
      const reader = await begin();
      await proxy.down();
      reader.leave();
      await untilRecovered(async () => llm.inProgress() === 0);
      await pause(OUTAGE_MS);
      await proxy.up();
      await untilRecovered(async () => (await messageOf(reader.messageId)).finished_at !== null);
      expect(await messageOf(reader.messageId)).toMatchObject({
        content: 'Half an answer',
        error: expect.stringMatching(/went away/) as unknown,
      });
    });
  },
);
