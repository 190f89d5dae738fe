import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { askSecret } from '#src/cli/ask-secret.ts';
import { runCommandLine } from '#src/cli/program.ts';
import { makeFolder, runCommand, startFakeService } from '#test/support/fake-service.ts';

const account = {
  id: 'a59af4a0-d561-4db5-8a3f-e6a25fb0fe85',
  email: 'ada@example.com',
  verified: false,
  default: true,
  daily_limit: 1_200,
  daily_sent: 3,
  smtp_host: 'smtp.example.com',
  smtp_port: 587,
};
const made = { ...account, verification_token: 'zs-cneg' };

/** Takes the password from the environment, or asks a user who types it. */
async function runWithPassword(
  words: string[],
  url: string,
  { environment, typed }: { environment?: string; typed?: string },
) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const asked: string[] = [];
  const askTyped = (question: string): Promise<string> => {
    asked.push(question);
    return Promise.resolve(typed ?? '');
  };
  const code = await runCommandLine(words, {
    terminal: {
      stdin: Readable.from([]),
      stdout,
      stderr,
      signal: new AbortController().signal,
      workingFolder: makeFolder(),
      ...(typed === undefined ? {} : { askSecret: askTyped }),
    },
    settings: {
      MILLRACE_URL: url,
      MILLRACE_API_KEY: 'key',
      MILLRACE_SMTP_PASSWORD: environment,
      DATA_DIR: makeFolder(),
    },
    version: '1.2.3',
  });
  return { code, asked, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

describe('email add', () => {
  const words = ['email', 'add', 'ada@example.com'];

  test('sends nothing when there is no password and no terminal to ask at', async () => {
    await using service = await startFakeService(() => ({ json: made }));
    const run = await runCommand(words, { url: service.url, stdin: 'piped\n' });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('MILLRACE_SMTP_PASSWORD');
    expect(service.requests).toEqual([]);
  });

  test('rejects an empty password', async () => {
    await using service = await startFakeService(() => ({ json: made }));
    expect((await runWithPassword(words, service.url, { typed: '' })).code).toBe(2);
    expect(service.requests).toEqual([]);
  });

  test('accepts no password as an argument', async () => {
    await using service = await startFakeService(() => ({ json: made }));
    const run = await runWithPassword([...words, '--password', 'x'], service.url, { typed: 'y' });
    expect(run.code).toBe(2);
    expect(service.requests).toEqual([]);
  });

  test('uses the password of the environment before asking, and never prints it', async () => {
    await using service = await startFakeService(() => ({ json: made }));
    const options = '--host smtp.example.com --port 465 --user ada --daily-limit 50'.split(' ');
    const run = await runWithPassword(
      [...words, ...options, '--from-name', 'Ada of Example'],
      service.url,
      { environment: 'from-environment', typed: 'typed' },
    );
    expect(run).toMatchObject({ code: 0, asked: [] });
    expect(run.stdout + run.stderr).not.toContain('from-environment');
    expect(run.stdout).toContain(`millrace email verify ${account.id}`);
    expect(service.requests[0]).toMatchObject({ method: 'POST', url: '/email-accounts' });
    expect(service.requests[0]?.body).toEqual({
      email: 'ada@example.com',
      smtp_password: 'from-environment',
      smtp_host: 'smtp.example.com',
      smtp_port: 465,
      smtp_user: 'ada',
      from_name: 'Ada of Example',
      daily_limit: 50,
    });
  });

  test('asks for the password, and leaves omitted settings to the service', async () => {
    await using service = await startFakeService(() => ({ json: made }));
    const run = await runWithPassword(words, service.url, { typed: ' typed ' });
    expect(run).toMatchObject({ code: 0, asked: ['SMTP password of ada@example.com: '] });
    expect(service.requests[0]?.body).toEqual({
      email: 'ada@example.com',
      smtp_password: ' typed ',
    });
  });
});

describe('typing a password', () => {
  const keyboard = () => ({
    stdin: new PassThrough(),
    stderr: new PassThrough(),
    interrupt: new AbortController(),
  });

  test('shows nothing, and honors backspace', async () => {
    const keys = keyboard();
    const typed = askSecret('Password: ', keys);
    keys.stdin.write('geheimX\u007f\r');
    expect(await typed).toBe('geheim');
    expect(String(keys.stderr.read())).toBe('Password: \n');
  });

  test('ends on Ctrl-C and at the end of input', async () => {
    const keys = keyboard();
    const typed = askSecret('Password: ', keys);
    keys.stdin.write('gehe\u0003');
    await expect(typed).rejects.toThrow();
    expect(keys.interrupt.signal.aborted).toBe(true);
    const closed = keyboard();
    const ended = askSecret('Password: ', closed);
    closed.stdin.write('\u0004');
    await expect(ended).rejects.toThrow('Nothing was typed.');
  });
});

describe('email send', () => {
  const words = ['email', 'send', 'a/1', '--to', 'bob@example.com', '--subject', 'Hi', '--text'];
  const sent = {
    id: 'm1',
    status: 'sent',
    to: 'bob@example.com',
    error: null,
    status_url: '/email-messages/m1',
  };

  function watchKeys(): (string | string[] | undefined)[] {
    const keys: (string | string[] | undefined)[] = [];
    const onRequest = (message: unknown): void => {
      const { request } = message as { request: IncomingMessage }; // as documented for the channel
      keys.push(request.headers['idempotency-key']);
    };
    subscribe('http.server.request.start', onRequest);
    onTestFinished(() => void unsubscribe('http.server.request.start', onRequest));
    return keys;
  }

  test('retries with the same Idempotency-Key, and uses a new one for each message', async () => {
    const keys = watchKeys();
    let calls = 0;
    await using service = await startFakeService(() => {
      calls += 1;
      if (calls === 1) return { hangUp: true };
      if (calls > 2) return { json: sent };
      return { status: 503, json: { error_code: 'UNAVAILABLE', detail: 'Soon.' } };
    });
    const run = await runCommand([...words, 'Hello'], { url: service.url });
    expect(run).toMatchObject({ code: 0, stdout: 'Sent to bob@example.com.\n' });
    expect(service.requests[2]).toMatchObject({
      url: '/email-accounts/a%2F1/send',
      body: { to: 'bob@example.com', subject: 'Hi', text: 'Hello' },
    });
    await runCommand([...words, 'Hello'], { url: service.url });
    expect(keys).toHaveLength(4);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys.slice(1, 3)).toEqual([keys[0], keys[0]]);
    expect(keys[3]).not.toBe(keys[0]);
  });

  test('warns that a message may be on its way when no response arrived', async () => {
    await using service = await startFakeService(() => ({ hangUp: true }));
    const run = await runCommand([...words, 'Hello'], { url: service.url });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('may have been sent');
  });

  test('fails at once with the error of the service when the message was not sent', async () => {
    const detail = 'The message m1 was not sent. smtp.example.com refused it.';
    const json = { error_code: 'BAD_GATEWAY', detail };
    await using service = await startFakeService(() => ({ status: 502, json }));
    const run = await runCommand([...words, 'Hello'], { url: service.url });
    expect(run).toMatchObject({ code: 1, stdout: '', stderr: `error: ${detail} (BAD_GATEWAY)\n` });
    expect(service.requests).toHaveLength(1);
  });

  test('reports a queued message when the mail server asked to come back later', async () => {
    await using service = await startFakeService(() => ({
      status: 202,
      json: { ...sent, status: 'queued', error: 'The server is busy.' },
    }));
    const run = await runCommand([...words, 'Hello'], { url: service.url });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('is queued and continues by itself. The server is busy.');
    expect(run.stdout).toContain('/email-messages/m1');
  });
});

describe('sender accounts', () => {
  const verification = { verified: true, message: 'Ready.', status: 'sent', warnings: ['No SPF.'] };

  test('verify fails with the remedy and prints warnings', async () => {
    const failed = { ...verification, verified: false, status: 'failed', message: 'Use 465.' };
    await using service = await startFakeService(() => ({ json: failed }));
    const words = ['email', 'verify', account.id, '--to', 'me@example.com'];
    const run = await runCommand(words, { url: service.url });
    expect(run).toMatchObject({ code: 1, stdout: '', stderr: 'No SPF.\nerror: Use 465.\n' });
    expect(service.requests[0]).toMatchObject({
      url: `/email-accounts/${account.id}/verify`,
      body: { test_recipient: 'me@example.com' },
    });
  });

  test('verify prints the records to publish', async () => {
    const publish = { name: 'example.com', type: 'TXT', value: 'v=spf1 mx ~all' };
    const deliverability = { spf: { publish }, dkim: { publish: null }, dmarc: { publish: null } };
    await using service = await startFakeService(({ method }) => ({
      json: method === 'POST' ? verification : { ...account, deliverability },
    }));
    const words = ['email', 'verify', account.id, '--to', 'me@example.com'];
    const { stderr } = await runCommand(words, { url: service.url });
    expect(stderr).toBe('No SPF.\nPublish at example.com, type TXT: v=spf1 mx ~all\n');
  });

  test('verify says what to do while it is unfinished, and reports the result', async () => {
    let status = 'queued';
    await using service = await startFakeService(() => ({
      json: { ...verification, status, verified: status === 'sent' },
    }));
    const words = ['email', 'verify', account.id, '--to', 'me@example.com'];
    const waiting = await runCommand(words, { url: service.url });
    expect(waiting.code).toBe(1);
    expect(waiting.stderr).toContain('Run the same command again');
    status = 'sent';
    const done = await runCommand(words, { url: service.url });
    expect(done).toMatchObject({ code: 0, stdout: 'Ready.\n', stderr: 'No SPF.\n' });
  });

  test('list prints one line per account', async () => {
    await using service = await startFakeService(() => ({
      json: { accounts: [{ ...account, email: 'ada@example.com\u001b[2J' }], total: 1 },
    }));
    const run = await runCommand(['email', 'list'], { url: service.url });
    expect(run.stdout.split('\n')[1]).toBe(
      `${account.id}  ada@example.com  no        yes      3 of 1,200  smtp.example.com:587`,
    );
  });

  test('set-default and remove name the account, and remove warns when no default is left', async () => {
    await using service = await startFakeService(() => ({
      json: { ...account, default_deleted: true },
    }));
    const chosen = await runCommand(['email', 'set-default', account.id], { url: service.url });
    expect(chosen.stdout).toBe('ada@example.com is now the default.\n');
    const removed = await runCommand(['email', 'remove', account.id], { url: service.url });
    expect(removed.stdout).toBe('Removed ada@example.com.\n');
    expect(removed.stderr).toContain('email set-default');
    expect(service.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `POST /email-accounts/${account.id}/set-default`,
      `DELETE /email-accounts/${account.id}`,
    ]);
  });
});
