/** How long this thread has computed in a function, in milliseconds: a busy machine does not make it more. */
export function cpuMsOf(run: () => unknown): number {
  const start = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000;
}
