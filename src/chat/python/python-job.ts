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
  /** Why the code did not finish: the traceback of its own lines, or the limit that it hit. */
  failure: string | null;
  /** The files that it created or changed in its working directory. */
  files: readonly PythonFile[];
}
