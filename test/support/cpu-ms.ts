/** Processor time of this thread in a function, in milliseconds, so a busy machine does not raise it. */
export function cpuMsOf(run: () => unknown): number {
  const start = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000;
}

/** Processor time of all threads of this process until a promise settles, in milliseconds. */
export async function cpuMsUntil(settled: Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await settled;
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
