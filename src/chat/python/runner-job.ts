/** The runner's input: JSON after its length in four bytes (big endian), followed by the bytes that it announces. */
export interface RunnerJob {
  /** The file: URL of the pyodide folder, with a trailing slash. */
  pyodideUrl: string;
  /** Null: make a snapshot of an initialized Python, and end. */
  code: string | null;
  /** Bytes of the snapshot that follows; 0 when there is none. */
  snapshotBytes: number;
  /** Their contents follow the snapshot, in this order. */
  files: readonly { name: string; byteCount: number }[];
  limits: {
    interpreterBytes: number;
    fileBytes: number;
    outputBytes: number;
    returnedFiles: number;
    returnedBytes: number;
  };
}

/** @returns the job's bytes, in the order in which the runner reads them */
export function encodeJob(
  job: RunnerJob,
  snapshot: Uint8Array | null,
  files: readonly Uint8Array[],
): Uint8Array[] {
  const head = Buffer.from(JSON.stringify(job));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  return [length, head, ...(snapshot ? [snapshot] : []), ...files];
}

/** @param read returns exactly that many bytes */
export function decodeJob(read: (byteCount: number) => Buffer): {
  job: RunnerJob;
  snapshot: Uint8Array | null;
  files: { name: string; bytes: Uint8Array }[];
} {
  const length = read(4).readUInt32BE();
  const job = JSON.parse(read(length).toString()) as RunnerJob; // written by encodeJob
  const snapshot = job.snapshotBytes > 0 ? read(job.snapshotBytes) : null;
  const files = job.files.map(({ name, byteCount }) => ({ name, bytes: read(byteCount) }));
  return { job, snapshot, files };
}
