/** What the command line says; null where each bench chooses by itself. */
export interface BenchOptions {
  documents: number | null;
  /** Average bytes of a document's text. */
  bytes: number;
  chunks: number | null;
  deliveries: number | null;
  endpoints: number | null;
  /** What other workspaces send; null for all. */
  mixes: string[] | null;
  /** Of a set whose parts are kept apart. */
  split: 'dev' | 'held-out' | 'all';
  verbose: boolean;
}

export interface Bench {
  /** One line for the list. */
  summary: string;
  /** Prints one table. */
  run(options: BenchOptions): Promise<void>;
}
