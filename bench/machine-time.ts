const NANOSECONDS_PER_MS = 1e6;

/** The machine's monotonic clock in milliseconds, comparable across processes on one machine. */
export function machineTimeMs(): number {
  return Number(process.hrtime.bigint()) / NANOSECONDS_PER_MS;
}
