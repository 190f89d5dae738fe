import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, test } from 'vitest';
import {
  newEndpointSchema,
  recoverySchema,
  rotationSchema,
} from '#src/webhooks/administration/endpoint-request.ts';
import { EVENT_TYPE_NAMES, EVENT_TYPES, OPT_IN_TYPES } from '#src/webhooks/event-types.ts';
import { MAX_ATTEMPTS, nextDelayMs } from '#src/webhooks/retry-schedule.ts';
import { makeSecret, signatureHeaders } from '#src/webhooks/sign.ts';
import { makeFolder } from '#test/support/fake-service.ts';
import { until } from '#test/support/until.ts';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../../docs/webhooks.md'), 'utf8');
/** The programs on the page by file name, which the first line of each gives. */
const PROGRAMS = new Map(
  [...PAGE.matchAll(/^```(?:js|python)\n(?:\/\/|#) (\S+)\n([^]*?)^```$/gm)].map(
    ([, name = '', code = '']) => [name, code],
  ),
);
const hasPython = spawnSync('python3', ['--version']).status === 0;

const RECEIVERS = [
  { file: 'receive-standard.mjs', interpreter: 'node', checksAge: true },
  { file: 'receive-simple.mjs', interpreter: 'node', checksAge: false },
  { file: 'receive_standard.py', interpreter: 'python3', checksAge: true },
  { file: 'receive_simple.py', interpreter: 'python3', checksAge: false },
];

describe('the manual page', () => {
  test('contains exactly these receivers', () => {
    expect([...PROGRAMS.keys()].toSorted()).toEqual(RECEIVERS.map(({ file }) => file).toSorted());
  });

  test('lists every event type with all fields of its data, and which are opt-in', () => {
    const rows = tableOf('Events');
    expect(rows.map(([type = '']) => type.replaceAll('`', '')).toSorted()).toEqual(
      EVENT_TYPE_NAMES.toSorted(),
    );
    for (const [type = '', when = '', fields = ''] of rows) {
      const name = EVENT_TYPE_NAMES.find((known) => type === `\`${known}\``);
      if (name === undefined) throw new Error(`${type} is not an event type.`);
      expect(when.includes('Opt-in'), type).toBe(OPT_IN_TYPES.includes(name));
      const known = Object.keys(EVENT_TYPES[name].data.shape);
      const told = fields.startsWith('The same without')
        ? [...fieldsOfRuns(rows), fields]
        : [fields];
      expect(
        known.filter((field) => !told.join().includes(`\`${field}\``)),
        type,
      ).toEqual([]);
    }
  });

  test('shows the retry table of the schedule', () => {
    let totalMs = 0;
    const expected = Array.from({ length: MAX_ATTEMPTS }, (_, index) => {
      const delayMs = index === 0 ? 0 : nextDelayMs(index, { retryAfterMs: null, random: 0.5 });
      totalMs += delayMs ?? Number.NaN;
      const shown = (ms: number) => (index === 0 ? '–' : spanOf(ms));
      return [String(index + 1), shown(delayMs ?? 0), shown(totalMs)];
    });
    expect(tableOf('Retries')).toEqual(expected);
    expect(totalMs).toBe(272_105_000);
  });

  test('has a correct test vector', () => {
    const shown = new Map(
      tableOf('Check your signatures').map(([name = '', value = '']) => [
        name.replaceAll('`', ''),
        value.replaceAll('`', ''),
      ]),
    );
    const headers = signatureHeaders(
      { current: shown.get('Secret') ?? '', previous: null },
      {
        id: shown.get('webhook-id') ?? '',
        timestampSeconds: Number(shown.get('webhook-timestamp')),
        body: shown.get('Body') ?? '',
      },
    );
    for (const [name, value] of Object.entries(headers)) expect(shown.get(name)).toBe(value);
  });

  test('shows requests that are accepted', () => {
    const bodies = [
      ...PAGE.matchAll(/"\$MILLRACE_URL([^"]*)"[^']*'Content[^']*'[^']*'(\{[^']*\})'/g),
    ];
    const schemas = bodies.map(([, path = '', body = '']) => {
      const schema = path.endsWith('/recover')
        ? recoverySchema
        : path.endsWith('/rotate-secret')
          ? rotationSchema
          : newEndpointSchema;
      expect(schema.safeParse(JSON.parse(body)).error, body).toBeUndefined();
      return schema;
    });
    expect(new Set(schemas).size).toBe(3);
  });
});

/** The rows of the first table below a heading, without its header. */
function tableOf(heading: string): string[][] {
  const section = PAGE.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const table = /(?:^\|.*\|\n)+/m.exec(section)?.[0] ?? '';
  const rows = table.trim().split('\n');
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

function fieldsOfRuns(rows: string[][]): string[] {
  return rows.find(([type]) => type === '`connector.sync.completed`') ?? [];
}

/** Formats a duration as `75 h 35 min 5 s`. */
function spanOf(ms: number): string {
  const seconds = ms / 1_000;
  return [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor((seconds % 3_600) / 60), 'min'],
    [seconds % 60, 's'],
  ]
    .filter(([count]) => count !== 0)
    .map((part) => part.join(' '))
    .join(' ');
}

const running: { stop: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
});

/** Runs a program of the page with this secret, as a reader would. */
function run({ file, interpreter }: (typeof RECEIVERS)[number], secret: string) {
  const program = interpreter === 'node' ? process.execPath : interpreter;
  const path = join(makeFolder(), file);
  writeFileSync(path, PROGRAMS.get(file) ?? '');
  const child = spawn(program, [path], {
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => lines.push(line));
  }
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  running.push({ stop });
  return { lines, ended };
}

async function start(receiver: (typeof RECEIVERS)[number], secret: string) {
  const { lines } = run(receiver, secret);
  const said = await waitForLine(lines, /^listening on \d+$/);
  const port = said.replace('listening on ', '');
  const url = `http://127.0.0.1:${port}/`;
  return {
    url,
    post: async (headers: Record<string, string>, body: string): Promise<number> => {
      const response = await fetch(url, { method: 'POST', headers, body });
      await response.arrayBuffer();
      return response.status;
    },
    /** How often the event was processed; the last one posted is `last`. */
    handled: async (id: string, last: string): Promise<number> => {
      await waitForLine(lines, new RegExp(`^event ping ${last}$`));
      return lines.filter((line) => line === `event ping ${id}`).length;
    },
  };
}

async function waitForLine(lines: readonly string[], pattern: RegExp): Promise<string> {
  const find = () => lines.find((line) => pattern.test(line));
  await until(() => Promise.resolve(find() !== undefined));
  return find() ?? '';
}

const bodyOf = (id: string, text = 'Grüße, 日本') =>
  JSON.stringify({ id, type: 'ping', timestamp: '2026-01-01T00:00:00.000Z', data: { text } });

function sign(
  id: string,
  secrets: { current: string; previous?: string },
  { ageSeconds = 0, body = bodyOf(id) } = {},
): Record<string, string> {
  const timestampSeconds = Math.floor(Date.now() / 1_000) - ageSeconds;
  return signatureHeaders(
    { current: secrets.current, previous: secrets.previous ?? null },
    { id, timestampSeconds, body },
  );
}

// Each test starts a program, which is slow on a busy machine.
describe.each(RECEIVERS)('the receiver $file (needs $interpreter)', (receiver) => {
  const isAbsent = receiver.interpreter === 'python3' && !hasPython;
  const secret = makeSecret();

  test.skipIf(isAbsent)('refuses a changed body, another secret and no signature', async () => {
    const { post } = await start(receiver, secret);
    const good = sign('evt_1', { current: secret });
    expect(await post(good, bodyOf('evt_1', 'changed'))).toBe(401);
    expect(await post(sign('evt_1', { current: makeSecret() }), bodyOf('evt_1'))).toBe(401);
    expect(await post({}, bodyOf('evt_1'))).toBe(401);
    const empty = { ...good, 'webhook-signature': '', 'x-signature': '' };
    expect(await post(empty, bodyOf('evt_1'))).toBe(401);
    const strange = { ...good, 'webhook-signature': 'v1,é', 'x-signature': 'é'.repeat(64) };
    expect(await post(strange, bodyOf('evt_1'))).toBe(401);
    // It still works after all of that.
    expect(await post(good, bodyOf('evt_1'))).toBe(200);
  });

  test.skipIf(isAbsent)('refuses an old delivery if it checks the age', async () => {
    const { post } = await start(receiver, secret);
    const verdict = receiver.checksAge ? 401 : 200;
    for (const [id, ageSeconds] of [
      ['evt_old', 310],
      ['evt_early', -310],
    ] as const) {
      expect(await post(sign(id, { current: secret }, { ageSeconds }), bodyOf(id))).toBe(verdict);
    }
    const recent = sign('evt_2', { current: secret }, { ageSeconds: 290 });
    expect(await post(recent, bodyOf('evt_2'))).toBe(200);
    const unclear = { ...recent, 'webhook-timestamp': 'soon' };
    expect(await post(unclear, bodyOf('evt_2'))).toBe(verdict);
  });

  test.skipIf(isAbsent)('answers 200 to a known id, and processes it once', async () => {
    const { post, handled } = await start(receiver, secret);
    for (const ageSeconds of [60, 5, 0]) {
      const headers = sign('evt_1', { current: secret }, { ageSeconds });
      expect(await post(headers, bodyOf('evt_1'))).toBe(200);
    }
    expect(await post(sign('evt_2', { current: secret }), bodyOf('evt_2'))).toBe(200);
    expect(await handled('evt_1', 'evt_2')).toBe(1);
  });

  test.skipIf(isAbsent)('answers 500 to what it cannot process, and continues', async () => {
    const { post } = await start(receiver, secret);
    const broken = sign('evt_1', { current: secret }, { body: 'no JSON' });
    expect(await post(broken, 'no JSON')).toBe(500);
    expect(await post(sign('evt_1', { current: secret }), bodyOf('evt_1'))).toBe(200);
  });

  test.skipIf(isAbsent)('does not read a body that is too large', async () => {
    const { url } = await start(receiver, secret);
    const outgoing = httpRequest(url, {
      method: 'POST',
      headers: { 'content-length': '5000001' },
    });
    outgoing.on('error', () => undefined); // the receiver hangs up, as it should
    outgoing.flushHeaders();
    const [response] = await once(outgoing, 'response');
    outgoing.destroy();
    expect(response.statusCode).toBe(413);
  });

  test.skipIf(isAbsent)('accepts deliveries throughout a rotation', async () => {
    const [old, current] = [secret, makeSecret()];
    const before = await start(receiver, old);
    const after = await start(receiver, receiver.checksAge ? current : `${current},${old}`);
    const during = sign('evt_1', { current, previous: old });
    expect(await before.post(during, bodyOf('evt_1'))).toBe(200);
    expect(await after.post(during, bodyOf('evt_1'))).toBe(200);
    const ended = sign('evt_2', { current });
    expect(await before.post(ended, bodyOf('evt_2'))).toBe(401);
    expect(await after.post(ended, bodyOf('evt_2'))).toBe(200);
  });

  test.skipIf(isAbsent)('does not start without a secret', async () => {
    const { lines, ended } = run(receiver, '');
    const [code] = await ended;
    expect(code).toBe(1);
    await waitForLine(lines, /WEBHOOK_SECRET/);
  });
});
