/** How long this thread has computed in a function, in milliseconds: a busy machine does not make it more. */
export function cpuMsOf(run: () => unknown): number {
  const start = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000;
}

/** How long all threads of this process have computed until a promise was settled, in milliseconds. */
export async function cpuMsUntil(settled: Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await settled;
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
