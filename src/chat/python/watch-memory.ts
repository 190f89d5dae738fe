import { readFile } from 'node:fs/promises';

const INTERVAL_MS = 100;
const MAX_PROCESSES = 32;

/**
 * Checks ten times a second how much memory a process and its children use, and calls `onExceeded` once it is more than
 * `maxBytes`. Without `/proc` it sees nothing.
 */
export function watchMemory(
  pid: number,
  maxBytes: number,
  onExceeded: () => void,
): { stop(): void } {
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    if ((await residentBytes(pid)) > maxBytes) onExceeded();
    isLooking = false;
  };
  const timer = setInterval(() => void look(), INTERVAL_MS);
  return { stop: () => clearInterval(timer) };
}

/** Memory of the process and its descendants; 0 for ended ones. */
async function residentBytes(pid: number): Promise<number> {
  let total = 0;
  const pids = [pid];
  for (let index = 0; index < pids.length && index < MAX_PROCESSES; index += 1) {
    const next = pids[index];
    const status = await readOrNothing(`/proc/${next}/status`);
    total += Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
    const children = await readOrNothing(`/proc/${next}/task/${next}/children`);
    pids.push(...children.split(' ').filter(Boolean).map(Number));
  }
  return total;
}

async function readOrNothing(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    // The process ended meanwhile, or this is not Linux.
    return '';
  }
}
