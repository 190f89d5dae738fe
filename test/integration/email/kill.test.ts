// @module-tag processes
// @module-tag database
// @module-tag queues
import path from 'node:path';
import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import type { EmailMessageId } from '#src/ids.ts';
import type { Answer } from '#test/support/api-client.ts';
import type { ServiceProcess } from '#test/support/child-process.ts';
import {
  type ScriptedSmtp,
  type SmtpScript,
  startScriptedSmtp,
} from '#test/support/scripted-smtp.ts';
import { openTestProcesses, type TestProcesses } from '#test/support/test-processes.ts';
import { until } from '#test/support/until.ts';

/** The servers' certificate covers this address too. */
const ADDRESS = '127.77.77.77';
const CERTIFICATE = path.resolve(import.meta.dirname, '../..', 'fixtures/tls/smtp-cert.pem');
const RECOVERY_MS = 150_000;

const databaseUrl = process.env['TEST_DATABASE_URL'];

/** An API and an account whose server the test scripts; the test starts the workers. */
interface Scene extends AsyncDisposable {
  readonly processes: TestProcesses;
  readonly api: ServiceProcess;
  readonly smtp: ScriptedSmtp;
  verify(): Promise<Answer>;
  send(headers?: Record<string, string>): Promise<Answer>;
  message(): Promise<MessageFacts>;
  finished(): Promise<MessageFacts>;
  dailySent(): Promise<number>;
}

interface MessageFacts {
  id: EmailMessageId;
  status: string;
  attempts: number;
  finished_at: Date | null;
  data_started_at: Date | null;
  text_body: string | null;
}

async function openScene(script: SmtpScript): Promise<Scene> {
  await using opened = new AsyncDisposableStack();
  const smtp = opened.use(await startScriptedSmtp({ address: ADDRESS, script }));
  const processes = opened.use(
    await openTestProcesses(() => ({
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      NODE_EXTRA_CA_CERTS: CERTIFICATE,
    })),
  );
  const api = await processes.startApi();
  const { client, db } = processes;
  const { body } = await client.call('POST', '/email-accounts', {
    // A sender at a known provider needs no DNS lookups for advice.
    email: 'jane@gmail.com',
    smtp_host: ADDRESS,
    smtp_port: smtp.port,
    smtp_password: 'correct horse',
  });
  const accountId: string = body.id;
  const resources = opened.move();
  const message = async (): Promise<MessageFacts> => {
    const { rows } = await sql<MessageFacts>`
      select id, status, attempts, finished_at, data_started_at, text_body from email_message
      order by created_at desc limit 1`.execute(db);
    const [row] = rows;
    if (!row) throw new Error('The account has no message.');
    return row;
  };
  return {
    processes,
    api,
    smtp,
    verify: () =>
      client.call('POST', `/email-accounts/${accountId}/verify`, {
        test_recipient: 'me@inbox.test',
      }),
    async send(headers = {}) {
      await sql`update email_account set verified = true where id = ${accountId}`.execute(db);
      return client.call(
        'POST',
        `/email-accounts/${accountId}/send`,
        { to: 'lead@firm.test', subject: 'Hello', text: 'How are you?' },
        { headers },
      );
    },
    message,
    async finished() {
      await until(async () => (await message()).finished_at !== null, RECOVERY_MS);
      return message();
    },
    dailySent: async () =>
      (await client.call('GET', `/email-accounts/${accountId}`)).body.daily_sent,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** A script step that blocks the first time until it is released. */
function holdOnce() {
  const [reached, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isFirst = true;
  const step = async (): Promise<string> => {
    if (isFirst) {
      isFirst = false;
      reached.resolve();
      await release.promise;
    }
    return '250 well';
  };
  return { step, reached: reached.promise, release: () => release.resolve() };
}

/** Simulates the expired claim of a dead worker whose job was sent a while ago. */
async function expireClaims({ db }: TestProcesses): Promise<void> {
  await sql`update email_message set queued_at = now() - interval '1 hour',
    created_at = created_at - interval '10 minutes',
    claimed_until = claimed_until - interval '1 minute' where finished_at is null`.execute(db);
}

/** How often the server received content. */
const contentsOf = ({ sessions }: ScriptedSmtp): number =>
  sessions.filter(({ contentBytes }) => contentBytes > 0).length;

describe.skipIf(databaseUrl === undefined)(
  'a worker that is killed while it sends (needs TEST_DATABASE_URL)',
  () => {
    it('before the content: another one sends it once, and the waiting request is answered', async () => {
      const held = holdOnce();
      await using scene = await openScene({ rcpt: held.step });
      const { processes, smtp } = scene;
      const first = await processes.startWorkers();
      const asked = scene.verify();
      await held.reached;
      expect(await scene.message()).toMatchObject({ status: 'sending', data_started_at: null });
      await first.kill();
      await expireClaims(processes);
      await processes.startWorkers();
      const answer = await asked;
      const { id, status, attempts } = await scene.finished();
      expect([status, attempts]).toEqual(['sent', 2]);
      expect([200, 202]).toContain(answer.status);
      expect(answer.body).toMatchObject({
        verification_id: id,
        verified: answer.status === 200,
      });
      const now = await processes.client.call('GET', answer.body.status_url);
      expect(now.body.verified).toBe(true);
      held.release();
      expect(smtp.messages).toHaveLength(1);
      const mail = await PostalMime.parse(smtp.messages[0]?.raw ?? '');
      expect(mail.messageId).toBe(`<${id}@gmail.com>`);
      expect([contentsOf(smtp), await scene.dailySent()]).toEqual([1, 1]);
    });

    it('after the server has the content: the message is unknown and never sent again', async () => {
      const held = holdOnce();
      await using scene = await openScene({ content: held.step });
      const { processes, smtp } = scene;
      const headers = { 'Idempotency-Key': 'the-one' };
      const first = await processes.startWorkers();
      const asked = scene.send(headers);
      await held.reached;
      expect((await scene.message()).data_started_at).not.toBeNull();
      await first.kill();
      // The server keeps the content it received.
      held.release();
      await expireClaims(processes);
      await processes.startWorkers();
      const { id, status, text_body: text } = await scene.finished();
      expect([status, text]).toEqual(['unknown', null]);
      const answer = await asked;
      if (answer.status === 502) expect(answer.body.detail).toContain('may have been sent');
      else expect([answer.status, answer.body.id]).toEqual([202, id]);
      const again = await scene.send(headers);
      expect([again.status, again.body.error_code]).toEqual([502, 'BAD_GATEWAY']);
      expect(again.body.detail).toContain(`The message ${id} may have been sent`);
      // A later message is sent, so the first one would have had its turn too.
      expect((await scene.send()).status).toBe(200);
      expect(smtp.messages).toHaveLength(2);
      const ids = await Promise.all(
        smtp.messages.map(async ({ raw }) => (await PostalMime.parse(raw)).messageId),
      );
      expect(ids.filter((one) => one === `<${id}@gmail.com>`)).toHaveLength(1);
      expect([contentsOf(smtp), await scene.dailySent()]).toEqual([2, 2]);
    });
  },
);

describe.skipIf(databaseUrl === undefined)(
  'processes that are stopped while a message waits (needs TEST_DATABASE_URL)',
  () => {
    it('the API says where to look, the worker finishes what it has begun, and the message is sent once', async () => {
      const held = holdOnce();
      await using scene = await openScene({ content: held.step });
      const { processes, api, smtp } = scene;
      const worker = await processes.startWorkers();
      const asked = scene.send();
      await held.reached;
      worker.signal('SIGTERM');
      api.signal('SIGTERM');
      const answer = await asked;
      const { id } = await scene.message();
      expect([answer.status, answer.body.status]).toEqual([202, 'sending']);
      expect(answer.headers.get('Location')).toBe(`/email-messages/${id}`);
      held.release();
      expect(await api.ended(60_000)).toBe(0);
      expect(await worker.ended(60_000)).toBe(0);
      const { status, attempts } = await scene.finished();
      expect([status, attempts]).toEqual(['sent', 1]);
      expect([smtp.messages.length, contentsOf(smtp)]).toEqual([1, 1]);
    });
  },
);
