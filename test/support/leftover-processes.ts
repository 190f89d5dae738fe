import { readdir, readFile } from 'node:fs/promises';

/** The environment variable that marks the processes of a run; child processes inherit it. */
export const MARKER = 'MILLRACE_TEST_RUN';

/** Vitest's own workers end a moment after the tests. */
const WORKER = /vitest|node_modules\/tinypool/;

/** Command lines of processes that carry the marker of a run and are not its workers. Linux only; empty elsewhere. */
export async function findLeftoverProcesses(run: string): Promise<string[]> {
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
    // The process has just ended or belongs to another user.
    return undefined;
  }
}
