const KB = 1024;
const MB = 1024 * KB;

/** Resource limits of one Python run. The process that started it enforces all of them from outside. */
export interface SandboxLimits {
  /** From the start of the process until the code begins. */
  startMs: number;
  /** From when the code begins. */
  wallMs: number;
  /** Resident memory of the whole process; above, it is ended. */
  processBytes: number;
  /** Memory of the Python interpreter, within the former: above, the code gets a `MemoryError`. */
  interpreterBytes: number;
  /** One file in the working directory: above, the code gets an `OSError`. */
  fileBytes: number;
  /** Standard output and error together; the rest is dropped, with a line that says so. */
  outputBytes: number;
  returnedFiles: number;
  returnedBytes: number;
  /** All attached files of a run together. */
  attachedBytes: number;
}

/** The interpreter and Node.js themselves take about 200 MB of `processBytes`. */
export const DEFAULT_LIMITS: SandboxLimits = {
  startMs: 60_000,
  wallMs: 30_000,
  processBytes: 640 * MB,
  interpreterBytes: 256 * MB,
  fileBytes: 96 * MB,
  outputBytes: MB,
  returnedFiles: 20,
  returnedBytes: 20 * MB,
  attachedBytes: 50 * MB,
};

/** `20 MB`, `64 KB` or `12 bytes`, for messages about limits. */
export function sizeOf(bytes: number): string {
  if (bytes >= MB) return `${Math.round(bytes / MB)} MB`;
  return bytes >= KB ? `${Math.round(bytes / KB)} KB` : `${bytes} bytes`;
}
