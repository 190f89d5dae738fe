import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Lets other threads of the machine go first when its processors are busy. Linux alone has priorities of threads
 * (setpriority(2), "C library/kernel differences"); elsewhere, and where they are forbidden, nothing happens.
 * @param niceness from 1 to 19, each a fifth less of a busy processor than the one before
 */
export function lowerThreadPriority(niceness: number): void {
  if (process.platform !== 'linux') return;
  try {
    // "1234/task/1237": the id of the process and that of the thread.
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, niceness);
  } catch {
    // A container may hide /proc or forbid the call.
  }
}
