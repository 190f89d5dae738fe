const TIMEOUT_MS = 100;
/** Half of the timeout: an attempt that times out on an idle machine has used more. */
const MAX_CPU_MS = 50;

/**
 * The result of `match`, which stops itself after `timeoutMs` of elapsed time. On a busy machine that time may pass
 * while the thread waits for a processor, so `match` is called again until it has used 50 ms of processor time itself.
 * @throws whatever `match` throws; its timeout once that time is used
 */
export function matchWithin(
  match: (timeoutMs: number) => boolean,
  cpuMs: () => number = threadCpuMs,
): boolean {
  const startedAt = cpuMs();
  for (;;) {
    try {
      return match(TIMEOUT_MS);
    } catch (error) {
      if (!isTimeout(error) || cpuMs() - startedAt >= MAX_CPU_MS) throw error;
    }
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
