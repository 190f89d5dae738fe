import { LostTask } from '#src/platform/guarded-process.ts';
import {
  openGuardedProcesses,
  type TaskLimits,
  type TaskOptions,
} from '#src/platform/guarded-processes.ts';
import type { ReportedReturn } from './reported-return.ts';

/** Only this much of a report is read. The machine-readable part precedes the returned message. */
export const MAX_REPORT_BYTES = 512 * 1024;

const LIMITS: TaskLimits = { processes: 1, taskMs: 5_000, waitMs: 30_000, memoryMb: 128 };

/** Reads untrusted reports in a separate process, which may hang or exhaust memory without harming others. */
export interface ReportReader extends AsyncDisposable {
  /**
   * @param options `owner`: the workspace
   * @returns the messages that it reports; none when it cannot be read
   * @throws the signal's reason when aborted
   */
  read(source: Uint8Array, options: TaskOptions): Promise<ReportedReturn[]>;
}

/** The process starts with the first report. */
export function openReportReader(limits: Partial<TaskLimits> = {}): ReportReader {
  const filename = new URL('./read-report.ts', import.meta.url).href;
  const processes = openGuardedProcesses<Uint8Array, ReportedReturn[]>(
    { ...LIMITS, ...limits },
    { filename, name: 'readReport' },
  );
  return {
    async read(source, options) {
      try {
        return await processes.run(source.subarray(0, MAX_REPORT_BYTES), options);
      } catch (error) {
        // An unreadable report must not block those after it.
        if (error instanceof LostTask) return [];
        throw error;
      }
    },
    [Symbol.asyncDispose]: () => processes[Symbol.asyncDispose](),
  };
}
