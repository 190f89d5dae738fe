const NANOSECONDS_PER_MS = 1e6;

/** Milliseconds of the machine's monotonic clock: two processes of one machine may compare them. */
export function machineTimeMs(): number {
  return Number(process.hrtime.bigint()) / NANOSECONDS_PER_MS;
}
