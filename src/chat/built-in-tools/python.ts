import { z } from 'zod';
import type { PacketBody } from '#src/chat/wire/packets.ts';
import { mediaTypeOf } from '#src/chat/python/media-type-of.ts';
import { nameFiles } from '#src/chat/python/name-files.ts';
import type { PythonFile, PythonOutcome } from '#src/chat/python/python-job.ts';
import type { PythonSandbox } from '#src/chat/python/python-sandbox.ts';
import { sizeOf } from '#src/chat/python/sandbox-limits.ts';
import type { FileStore } from '#src/files/file-store.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';
import { defineTool, type Tool, TOOL_IDS, ToolFailed } from '#src/chat/tools/tool.ts';

const MAX_CODE_CHARACTERS = 100_000;
/** Limit of each stream, for the model. */
const SHOWN_CHARACTERS = 32 * 1024;

const INPUT = z.object({
  code: z.string().min(1).max(MAX_CODE_CHARACTERS).describe('A complete Python program.'),
});

export interface AttachedFile {
  name: string;
  read(signal: AbortSignal): Promise<Uint8Array>;
}

export interface PythonToolOptions {
  sandbox: PythonSandbox;
  files: FileStore;
  owner: { workspaceId: WorkspaceId; userId: UserId };
  attached: readonly AttachedFile[];
}

/** What the model is told about a file that the code created. */
type MadeFile = { name: string } & ({ file_id: string; link: string } | { error: string });

/** Runs Python code from the model; files that it creates are stored for the user. */
export function createPython({ sandbox, files: store, owner, attached }: PythonToolOptions): Tool {
  const names = nameFiles(attached.map(({ name }) => name));
  return defineTool({
    id: TOOL_IDS.python,
    name: 'python',
    description: describe(names, sandbox.limits.wallMs),
    showFailure: ({ message }) => ({
      start: { type: 'python_tool_start', code: '' },
      error: delta({ stderr: `${message}\n` }),
    }),
    input: INPUT,
    async *run({ code }, { signal }) {
      yield { type: 'python_tool_start', code };
      const files = await readAttached(attached, names, sandbox.limits.attachedBytes, signal);
      const printed = { stdout: '', stderr: '' };
      const outcome = yield* show(
        sandbox.run({ code, files, owner: owner.workspaceId, signal }),
        printed,
      );
      const made = await storeAll(store, owner, outcome.files);
      const fileIds = made.flatMap((file) => ('file_id' in file ? [file.file_id] : []));
      if (fileIds.length > 0) yield delta({ file_ids: fileIds });
      const text = JSON.stringify({
        stdout: shorten(printed.stdout),
        stderr: shorten(printed.stderr),
        error: outcome.failure,
        files: made,
      });
      return { text, documents: [] };
    },
  });
}

function describe(names: readonly string[], wallMs: number): string {
  const files =
    names.length === 0
      ? 'No files are attached.'
      : `The attached files are in the working directory: ${names.map((name) => JSON.stringify(name)).join(', ')}.`;
  return [
    'Runs a Python 3 program and returns what it prints and the files it makes. Use it to calculate, to work with data and to write files.',
    'Only the standard library is there: no other packages, no network, no other programs, no threads, no named time zones.',
    `Each call starts afresh, with no variables or files of earlier calls, and may take ${wallMs / 1000} seconds.`,
    'Print whatever you want to see. Files that the program writes to its working directory are given to the user; link to them with the link in the result.',
    files,
  ].join(' ');
}

/** All at once: the sandbox needs all of them before the code starts. */
async function readAttached(
  attached: readonly AttachedFile[],
  names: readonly string[],
  maxBytes: number,
  signal: AbortSignal,
): Promise<PythonFile[]> {
  const files: PythonFile[] = [];
  let total = 0;
  for (const [index, file] of attached.entries()) {
    const bytes = await file.read(signal);
    total += bytes.length;
    if (total > maxBytes)
      throw new ToolFailed(
        `The attached files have more than ${sizeOf(maxBytes)} together, which is too much for Python.`,
      );
    files.push({ name: names[index] ?? file.name, bytes });
  }
  return files;
}

/** Streams the output and collects it in `printed`; a failure is shown as standard error. */
async function* show(
  run: ReturnType<PythonSandbox['run']>,
  printed: { stdout: string; stderr: string },
): AsyncGenerator<PacketBody, PythonOutcome> {
  try {
    for (;;) {
      // Not `for await`, which drops the generator's return value.
      const next = await run.next();
      if (next.done) {
        if (next.value.failure !== null) yield delta({ stderr: `${next.value.failure}\n` });
        return next.value;
      }
      const { stream, text } = next.value;
      printed[stream] += text;
      yield delta({ [stream]: text });
    }
  } finally {
    // Ends the process when the reader of the packets has left.
    await run.return({ failure: null, files: [] });
  }
}

function delta(fields: {
  stdout?: string;
  stderr?: string;
  file_ids?: string[];
}): Extract<PacketBody, { type: 'python_tool_delta' }> {
  return { type: 'python_tool_delta', stdout: '', stderr: '', file_ids: [], ...fields };
}

/** Sequentially; a file that the store rejects is reported, and the others are kept. */
async function storeAll(
  store: FileStore,
  { workspaceId, userId }: PythonToolOptions['owner'],
  files: readonly PythonFile[],
): Promise<MadeFile[]> {
  const made: MadeFile[] = [];
  for (const { name, bytes } of files) {
    const mediaType = mediaTypeOf(name, bytes);
    try {
      const file = await store.save(
        { workspaceId, createdBy: userId, name, mediaType, metadata: { made_by: 'python' } },
        contentOf(bytes),
      );
      made.push({ name, file_id: file.id, link: `/chat/file/${file.id}` });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      made.push({ name, error: error.message });
    }
  }
  return made;
}

async function* contentOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The beginning and the end, with a line between them that says how much was omitted. */
function shorten(text: string): string {
  if (text.length <= SHOWN_CHARACTERS) return text;
  const half = SHOWN_CHARACTERS / 2;
  const missing = text.length - SHOWN_CHARACTERS;
  return `${text.slice(0, half)}\n[${missing} characters are left out here]\n${text.slice(-half)}`.toWellFormed();
}
