import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { CitationNumbers } from '#src/chat/citations/citation-numbers.ts';
import type { PacketBody } from '#src/chat/wire/packets.ts';
import type { PythonJob, PythonOutcome, PythonText } from '#src/chat/python/python-job.ts';
import type { PythonSandbox } from '#src/chat/python/python-sandbox.ts';
import { DEFAULT_LIMITS } from '#src/chat/python/sandbox-limits.ts';
import { createPython } from '#src/chat/built-in-tools/python.ts';
import { type ToolContext, ToolFailed, type ToolResult } from '#src/chat/tools/tool.ts';
import type { FileStore, NewFile } from '#src/files/file-store.ts';
import type { StoredFileId, UserId, WorkspaceId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';

const OWNER = { workspaceId: randomUUID() as WorkspaceId, userId: randomUUID() as UserId };

/** A sandbox that plays scripted output and records its jobs. */
function fakeSandbox(
  texts: readonly PythonText[],
  outcome: Partial<PythonOutcome> = {},
): PythonSandbox & { jobs: PythonJob[]; left: number } {
  return {
    limits: DEFAULT_LIMITS,
    jobs: [],
    left: 0,
    async *run(job) {
      this.jobs.push(job);
      try {
        yield* texts;
        return { failure: null, files: [], ...outcome };
      } finally {
        this.left += 1;
      }
    },
  };
}

function fakeStore(refused: readonly string[] = []): FileStore & { saved: NewFile[] } {
  const saved: NewFile[] = [];
  return {
    saved,
    async save(file) {
      if (refused.includes(file.name)) throw new Problem('PAYLOAD_TOO_LARGE', 'Too large.');
      saved.push(file);
      return {
        id: `file-${saved.length}` as StoredFileId,
        name: file.name,
        mediaType: file.mediaType,
        byteCount: 1,
        metadata: {},
        createdBy: file.createdBy,
        createdAt: new Date(0),
      };
    },
    find: () => Promise.resolve(null),
    read: () => Promise.resolve(null),
    remove: () => Promise.resolve(),
  };
}

async function runTool(
  run: AsyncGenerator<PacketBody, ToolResult>,
): Promise<{ packets: PacketBody[]; result: ToolResult }> {
  const packets: PacketBody[] = [];
  for (;;) {
    const next = await run.next();
    if (next.done) return { packets, result: next.value };
    packets.push(next.value);
  }
}

function context(): ToolContext {
  const [numbers] = new CitationNumbers().openRanges(1);
  if (!numbers) throw new Error('No range was opened.');
  return {
    numbers,
    question: 'How much?',
    signal: new AbortController().signal,
  };
}

test('output streams, a failure is shown and reported to the model, and files are stored for the user', async () => {
  const sandbox = fakeSandbox(
    [
      { stream: 'stdout', text: '1\n' },
      { stream: 'stderr', text: 'careful\n' },
      { stream: 'stdout', text: '2\n' },
    ],
    {
      failure: 'ValueError: no',
      files: [
        { name: 'a.csv', bytes: Buffer.from('a') },
        { name: 'big', bytes: Buffer.from('b') },
      ],
    },
  );
  const store = fakeStore(['big']);
  const tool = createPython({ sandbox, files: store, owner: OWNER, attached: [] });
  const { packets, result } = await runTool(tool.run({ code: 'print(1)' }, context()));
  const empty = { type: 'python_tool_delta', stdout: '', stderr: '', file_ids: [] };
  expect(packets).toEqual([
    { type: 'python_tool_start', code: 'print(1)' },
    { ...empty, stdout: '1\n' },
    { ...empty, stderr: 'careful\n' },
    { ...empty, stdout: '2\n' },
    { ...empty, stderr: 'ValueError: no\n' },
    { ...empty, file_ids: ['file-1'] },
  ]);
  expect(store.saved).toMatchObject([
    { workspaceId: OWNER.workspaceId, createdBy: OWNER.userId, mediaType: 'text/csv' },
  ]);
  expect(JSON.parse(result.text)).toEqual({
    stdout: '1\n2\n',
    stderr: 'careful\n',
    error: 'ValueError: no',
    files: [
      { name: 'a.csv', file_id: 'file-1', link: '/chat/file/file-1' },
      { name: 'big', error: 'Too large.' },
    ],
  });
  expect(sandbox.left).toBe(1);
});

test('the model sees the start and end of long output, the user all of it', async () => {
  const text = `first${'x'.repeat(200_000)}last`;
  const sandbox = fakeSandbox([{ stream: 'stdout', text }]);
  const tool = createPython({ sandbox, files: fakeStore(), owner: OWNER, attached: [] });
  const { packets, result } = await runTool(tool.run({ code: 'x' }, context()));
  expect(packets[1]).toMatchObject({ stdout: text });
  const { stdout } = JSON.parse(result.text);
  expect(stdout).toMatch(/^firstx+\n\[167241 characters are left out here\]\nx+last$/);
});

test('attached files have the names given to the model', async () => {
  const sandbox = fakeSandbox([]);
  const attached = ['a.csv', '../a.csv'].map((name, index) => ({
    name,
    read: () => Promise.resolve(Buffer.from([index])),
  }));
  const tool = createPython({ sandbox, files: fakeStore(), owner: OWNER, attached });
  expect(tool.description).toContain('"a.csv", "a-2.csv"');
  await runTool(tool.run({ code: 'x' }, context()));
  expect(sandbox.jobs[0]?.files.map(({ name, bytes }) => [name, bytes[0]])).toEqual([
    ['a.csv', 0],
    ['a-2.csv', 1],
  ]);
});

test('attached files that are too large in total fail the call before the code runs', async () => {
  const sandbox = fakeSandbox([]);
  const bytes = new Uint8Array(DEFAULT_LIMITS.attachedBytes / 2 + 1);
  const attached = ['a', 'b'].map((name) => ({ name, read: () => Promise.resolve(bytes) }));
  const tool = createPython({ sandbox, files: fakeStore(), owner: OWNER, attached });
  const run = runTool(tool.run({ code: 'x' }, context()));
  await expect(run).rejects.toThrow(ToolFailed);
  expect(sandbox.jobs).toEqual([]);
});

test('a consumer that stops reading ends the run', async () => {
  const sandbox = fakeSandbox([{ stream: 'stdout', text: '1' }]);
  const tool = createPython({ sandbox, files: fakeStore(), owner: OWNER, attached: [] });
  const run = tool.run({ code: 'x' }, context());
  await run.next();
  await run.next();
  await run.return({ text: '', documents: [] });
  expect(sandbox.left).toBe(1);
});

test('missing code is reported to the model', () => {
  const tool = createPython({
    sandbox: fakeSandbox([]),
    files: fakeStore(),
    owner: OWNER,
    attached: [],
  });
  expect(() => tool.run({ program: 'x' }, context())).toThrow(ToolFailed);
  expect(() => tool.run({ code: '' }, context())).toThrow(ToolFailed);
});
