export interface PythonFile {
  /** Relative to the working directory; folders with `/`. */
  name: string;
  bytes: Uint8Array;
}

export interface PythonJob {
  code: string;
  files: readonly PythonFile[];
  signal: AbortSignal;
}

export interface PythonText {
  stream: 'stdout' | 'stderr';
  text: string;
}

export interface PythonOutcome {
  /** Why the code did not come to its end: the traceback of its own lines, or the limit that it met. */
  failure: string | null;
  /** The files that it made or changed in its working directory. */
  files: readonly PythonFile[];
}
