import { readdir, readFile } from 'node:fs/promises';

/** The variable by which a run knows its processes; their children inherit it. */
export const MARKER = 'MILLRACE_TEST_RUN';

/** Vitest's own workers end a moment after the tests. */
const WORKER = /vitest|node_modules\/tinypool/;

/** The command lines of processes that bear the marker of a run and are no workers of it. Linux only; elsewhere none. */
export async function leftBehind(run: string): Promise<string[]> {
  const ids = await readdir('/proc').catch(() => []);
  const commands = await Promise.all(
    ids.filter((id) => /^\d+$/.test(id) && id !== run).map((id) => commandOf(id, run)),
  );
  return commands.filter((command) => command !== undefined);
}

async function commandOf(id: string, run: string): Promise<string | undefined> {
  try {
    const environment = await readFile(`/proc/${id}/environ`, 'utf8');
    if (!environment.split('\0').includes(`${MARKER}=${run}`)) return undefined;
    const command = (await readFile(`/proc/${id}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim();
    return command === '' || WORKER.test(command) ? undefined : `${id} ${command}`;
  } catch {
    // It ended while we looked, or belongs to somebody else.
    return undefined;
  }
}
