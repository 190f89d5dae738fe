// @module-tag smoke
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommandLine } from '#src/cli/program.ts';
import { makeFolder } from '#test/support/fake-service.ts';
import {
  answersText,
  callsTools,
  type LlmScript,
  playsAndHangs,
  type ScriptedLlm,
  startLlm,
  textEvent,
  toolResults,
} from '#test/support/scripted-llm.ts';
import { startTestMillrace, type TestMillrace } from '#test/support/test-millrace.ts';
import { until } from '#test/support/until.ts';

let llm: ScriptedLlm;
let script: (toolAnswers: number) => LlmScript;
let millrace: TestMillrace;

beforeAll(async () => {
  llm = await startLlm((body) => script(toolResults(body).length));
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

interface Asked {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `millrace ask` on a terminal without colours. */
async function ask(
  words: string[],
  {
    workingFolder = makeFolder(),
    onOutput,
    interrupt = new AbortController(),
  }: { workingFolder?: string; onOutput?: () => void; interrupt?: AbortController } = {},
): Promise<Asked> {
  const written = { stdout: '', stderr: '' };
  const streamOf = (name: 'stdout' | 'stderr') => {
    const stream = Object.assign(new PassThrough(), { isTTY: true });
    stream.on('data', (part: Buffer) => {
      written[name] += part.toString();
      if (name === 'stdout') onOutput?.();
    });
    return stream;
  };
  const code = await runCommandLine(['ask', ...words], {
    terminal: {
      stdin: Readable.from([]),
      stdout: streamOf('stdout'),
      stderr: streamOf('stderr'),
      signal: interrupt.signal,
      workingFolder,
    },
    settings: {
      MILLRACE_URL: millrace.url,
      MILLRACE_API_KEY: millrace.adminKey,
      DATA_DIR: workingFolder,
    },
    version: '1',
  });
  return { code, ...written };
}

it('shows tool calls, the answer and its sources, and continues in the same session', async () => {
  script = (answers) =>
    answers === 0
      ? callsTools([{ name: 'internal_search', args: { queries: ['reset VPN'] } }])
      : answersText('Press reset [1].');
  const first = await ask(['How', 'do', 'I', 'reset', 'the', 'VPN?']);
  expect(first).toMatchObject({
    code: 0,
    stdout: 'Press reset [1].\n\nSources\n[1] About the VPN  https://kb.example/vpn\n',
  });
  expect(first.stderr).toMatch(/^searching “.*reset VPN.*”\n/);
  script = () => answersText('As I said.');
  const second = await ask(['--continue', 'Again?']);
  expect(second.stdout).toBe('As I said.\n');
  expect(JSON.stringify(llm.calls.at(-1)?.body)).toContain('How do I reset the VPN?');
  const session = /Session (\S+);/.exec(first.stderr)?.[1] ?? '';
  expect(second.stderr).toContain(session);
});

it('shows a citation without a link as its number, where the wire and the session have empty brackets', async () => {
  const document = {
    id: 'parking',
    semantic_identifier: 'About parking',
    sections: [{ text: 'Visitors park behind the building.' }],
  };
  await millrace.call('POST', '/service-api/ingestion', { document });
  await millrace.settled();
  script = (answers) =>
    answers === 0
      ? callsTools([{ name: 'internal_search', args: { queries: ['visitors park'] } }])
      : answersText('Behind the building [1].');
  const run = await ask(['Where', 'do', 'visitors', 'park?']);
  expect(run).toMatchObject({
    code: 0,
    stdout: 'Behind the building [1].\n\nSources\n[1] About parking  parking\n',
  });
  const session = /Session (\S+);/.exec(run.stderr)?.[1] ?? '';
  const { body } = await millrace.call('GET', `/chat/get-chat-session/${session}`);
  const deltas = body.packets
    .flat()
    .flatMap(({ obj }: { obj: { type: string; content?: string } }) =>
      obj.type === 'message_delta' ? (obj.content ?? '') : [],
    );
  expect(deltas.join('')).toBe('Behind the building [[1]]().');
  expect(body.messages.at(-1).message).toBe('Behind the building [[1]]().');
});

it('attaches files and reports those that cannot be attached', async () => {
  script = () => answersText('4711');
  const workingFolder = makeFolder();
  writeFileSync(join(workingFolder, 'code.txt'), 'The code is 4711.');
  writeFileSync(join(workingFolder, 'junk.bin'), Buffer.from([0, 1, 2, 3, 0, 5]));
  const good = await ask(['--file', 'code.txt', 'Which code?'], { workingFolder });
  expect(good).toMatchObject({ code: 0, stdout: '4711\n' });
  expect(JSON.stringify(llm.calls.at(-1)?.body)).toContain('The code is 4711.');
  const bad = await ask(['--file', 'code.txt', '--file', 'junk.bin', 'x'], { workingFolder });
  expect(bad.code).toBe(1);
  expect(bad.stderr).toMatch(/^error: Not attached: junk\.bin: /);
});

it('stops the answer on Ctrl-C and keeps it as stopped', async () => {
  script = () => playsAndHangs(textEvent('Half an answer'));
  const interrupt = new AbortController();
  const run = await ask(['x'], {
    interrupt,
    onOutput: () => interrupt.abort(new DOMException('Ctrl-C', 'AbortError')),
  });
  expect(run).toMatchObject({ code: 130, stdout: 'Half an answer\n' });
  const session = /Session (\S+);/.exec(run.stderr)?.[1] ?? '';
  const { body } = await millrace.call('GET', `/chat/get-chat-session/${session}`);
  expect(body.messages.at(-1).message).toMatch(/Half an answer.*stopped by the user/s);
  await until(async () => llm.inProgress() === 0);
});
