// Separate process: it runs one piece of Python, reports the result to its parent, and ends.
import { constants, readSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type * as pyodideModule from 'pyodide';
import type { PyodideInterface } from 'pyodide';
import { encodeFile } from './frames.ts';
import { lockDown } from './lock-down.ts';
import { PRELUDE, PRELUDE_MODULE, WORKING_DIRECTORY } from './python-prelude.ts';
import { decodeJob, type RunnerJob } from './runner-job.ts';
import { createOutput, sendFrame } from './runner-output.ts';
import { sizeOf } from './sandbox-limits.ts';
import {
  changedFiles,
  type FileSystem,
  limitFileSize,
  type WorkingFile,
  writeFiles,
} from './working-directory.ts';

const STDIN = 0;
const WASM_PAGE_BYTES = 64 * 1024;
const NOTHING = new Uint8Array();
/** Saved before the process is locked down. */
const leave = process.exit.bind(process);

const { job, snapshot, files } = decodeJob(readStdin);
process.once('uncaughtException', (error) => finish(describeCrash(error)));
endWithParent();
limitInterpreterMemory(job.limits.interpreterBytes);
const python = await startPython(job.pyodideUrl, snapshot);
if (job.code === null) {
  python.runPython(PRELUDE);
  sendFrame('snapshot', python.makeMemorySnapshot());
} else {
  await runJob(python, job.code, job.limits, files);
}
leave();

function readStdin(byteCount: number): Buffer {
  const bytes = Buffer.alloc(byteCount);
  let filled = 0;
  while (filled < byteCount) {
    const count = readSync(STDIN, bytes, filled, byteCount - filled, null);
    // The parent is gone.
    if (count === 0) leave();
    filled += count;
  }
  return bytes;
}

/** The parent's end of standard input closes when the parent ends, for whatever reason. */
function endWithParent(): void {
  process.stdin.on('end', leave).on('error', leave).resume();
}

/** Limits the growth of the interpreter's memory; beyond the limit, Python raises a `MemoryError`. */
function limitInterpreterMemory(maxBytes: number): void {
  // oxlint-disable-next-line typescript/unbound-method -- called with its own object below
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * WASM_PAGE_BYTES > maxBytes)
      throw new RangeError('The memory limit is reached.');
    return grow.call(this, pages);
  };
}

async function startPython(
  pyodideUrl: string,
  fromSnapshot: Uint8Array | null,
): Promise<PyodideInterface> {
  // Pyodide only needs two numbers from this function; the real one is denied in a process with permissions.
  Object.assign(process, { binding: () => ({ fs: constants }) });
  // It would reveal to Python where the service is installed.
  process.argv.splice(1);
  // The module whose types the package declares, by its file, because package lookup is not permitted here.
  const { loadPyodide } = (await import(`${pyodideUrl}pyodide.mjs`)) as typeof pyodideModule;
  return loadPyodide({
    indexURL: fileURLToPath(pyodideUrl),
    jsglobals: Object.create(null) as object,
    env: { HOME: WORKING_DIRECTORY },
    ...(fromSnapshot ? { _loadSnapshot: fromSnapshot } : { _makeSnapshot: true }),
  });
}

async function runJob(
  api: PyodideInterface,
  code: string,
  limits: RunnerJob['limits'],
  attached: readonly WorkingFile[],
): Promise<void> {
  const fs = api.FS as FileSystem; // Emscripten's own
  const print = createOutput(limits.outputBytes);
  for (const [kind, set] of [
    ['stdout', api.setStdout],
    ['stderr', api.setStderr],
  ] as const) {
    set({
      write(bytes: Uint8Array) {
        print(kind, bytes);
        return bytes.length;
      },
      isatty: false,
    });
  }
  api.setStdin({ stdin: () => null });
  limitFileSize(fs, limits.fileBytes);
  writeFiles(fs, attached);
  // Python's own type, as defined by the prelude.
  const { run } = api.pyimport(PRELUDE_MODULE) as {
    run: { callPromising(code: string): Promise<Promise<string | undefined>> };
  };
  lockDown();
  sendFrame('started', NOTHING);
  const failure = await runCaught(async () => run.callPromising(code));
  if (failure.isFatal) finish(failure.text);
  sendFiles(fs, attached, limits, (notice) => sendFrame('stderr', Buffer.from(notice)));
  finish(failure.text);
}

async function runCaught(
  run: () => Promise<unknown>,
): Promise<{ text: string | null; isFatal: boolean }> {
  try {
    const text = await run();
    return { text: typeof text === 'string' ? text : null, isFatal: false };
  } catch (error) {
    return { text: describeCrash(error), isFatal: true };
  }
}

/** A failure of the interpreter itself, not only of the code. */
function describeCrash(error: unknown): string {
  if (error instanceof RangeError)
    return 'The Python interpreter ran out of stack: the recursion is too deep.';
  const detail = error instanceof Error ? error.message : String(error);
  return `The Python interpreter crashed: ${detail.slice(0, 500)}`;
}

function sendFiles(
  fs: FileSystem,
  attached: readonly WorkingFile[],
  limits: RunnerJob['limits'],
  tell: (notice: string) => void,
): void {
  let count = 0;
  let total = 0;
  let left = 0;
  for (const { name, byteCount, read } of changedFiles(fs, attached)) {
    if (count === limits.returnedFiles || total + byteCount > limits.returnedBytes) {
      left += 1;
      continue;
    }
    count += 1;
    total += byteCount;
    sendFrame('file', encodeFile(name, read()));
  }
  if (left > 0)
    tell(
      `\n[${left} of the files are not kept: at most ${limits.returnedFiles} files and ${sizeOf(limits.returnedBytes)} are.]\n`,
    );
}

function finish(failure: string | null): never {
  sendFrame('done', Buffer.from(JSON.stringify({ failure })));
  return leave();
}
