// @module-tag processes
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createApiClient } from '#test/support/api-client.ts';
import { beginAnswer } from '#test/support/begin-answer.ts';
import { readChatBody } from '#test/support/chat-streams.ts';
import { chooseFixedPort, startProcess } from '#test/support/child-process.ts';
import { answersText, playsAndHangs, startLlm, textEvent } from '#test/support/scripted-llm.ts';
import { openTestEnvironment } from '#test/support/test-environment.ts';

/** Long enough for several ticks to write the lines of an answer to the database. */
const TICKS_MS = 5_000;

const isEmbedded = process.env['TEST_DATABASE_URL'] === undefined;

async function openScene() {
  await using opened = new AsyncDisposableStack();
  let script = playsAndHangs(textEvent('Half an answer'));
  const llm = opened.use(await startLlm(() => script));
  const environment = opened.use(
    await openTestEnvironment({
      LLM_BASE_URL: llm.baseUrl,
      LLM_MODEL: 'scripted',
      PORT: String(await chooseFixedPort()),
      SHUTDOWN_TIMEOUT_SECONDS: '2',
    }),
  );
  const service = {
    url: `http://127.0.0.1:${environment.settings['PORT']}`,
    adminKey: environment.adminKey,
  };
  const client = createApiClient(service.url, service.adminKey);
  const running = opened.use(new AsyncDisposableStack());
  const resources = opened.move();
  return {
    llm,
    start: async () => running.use(await startProcess('src/main.ts', environment.settings)),
    begin: () => beginAnswer(service),
    /** Returns the last message of a session and checks that the session takes another one. */
    async lastOf(sessionId: string) {
      const { body } = await client.call('GET', `/chat/get-chat-session/${sessionId}`);
      script = answersText('All is well.');
      const next = { message: 'And now?', stream: false, chat_session_id: sessionId };
      const answer = await client.call('POST', '/chat/send-chat-message', next);
      expect(answer.body).toMatchObject({ answer: 'All is well.', error_msg: null });
      return body.messages.at(-1);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

describe.skipIf(!isEmbedded)(
  'an answer of the embedded process (without TEST_DATABASE_URL)',
  () => {
    it('ends with what its readers have seen when the process is killed', async () => {
      await using scene = await openScene();
      const first = await scene.start();
      const reader = await scene.begin();
      await scene.begin();
      // No other process can open the database, so the test cannot wait for the row.
      await pause(TICKS_MS);
      await first.kill();
      await scene.start();
      expect(await scene.lastOf(reader.sessionId)).toMatchObject({
        message: 'Half an answer',
        error: expect.stringMatching(/service stopped/) as unknown,
      });
    });

    it('reports a shutdown to its readers and is saved', async () => {
      await using scene = await openScene();
      const first = await scene.start();
      const reader = await scene.begin();
      first.signal('SIGTERM');
      const { packets } = readChatBody(200, await reader.rest());
      expect(packets.at(-1)?.obj).toMatchObject({ type: 'error', is_retryable: true });
      expect(await first.ended(60_000)).toBe(0);
      await scene.start();
      expect(await scene.lastOf(reader.sessionId)).toMatchObject({
        message: 'Half an answer',
        error: expect.stringMatching(/service is stopping/) as unknown,
      });
    });
  },
);
