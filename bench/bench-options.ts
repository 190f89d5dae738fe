import type { ChaosSize } from '#test/support/chaos/chaos-script.ts';

/** Command-line options; null where each bench uses its own default. */
export interface BenchOptions {
  documents: number | null;
  /** Average size of a document's text, in bytes; the default of the bench where it has one. */
  bytes: number;
  chunks: number | null;
  deliveries: number | null;
  /** How long something goes on. */
  minutes: number | null;
  endpoints: number | null;
  /** Names of the mixes that other workspaces send; null for all. */
  mixes: string[] | null;
  /** Which part of a labelled set to use. */
  split: 'dev' | 'held-out' | 'all';
  /** Labelled pages, or whole labelled sites. */
  set: 'pages' | 'sites';
  /** Folder of labelled documents and questions; null for those of the tests. */
  questions: string | null;
  /** The first seed of `chaos`, and how many follow each other. */
  seed: number | null;
  seeds: number | null;
  /** What `chaos` runs against. */
  size: ChaosSize;
  verbose: boolean;
}

export interface Bench {
  /** One line for the list of benches. */
  summary: string;
  /** Average size of a document's text where none is asked for; 4,000 without it. */
  bytes?: number;
  /** Prints one table. */
  run(options: BenchOptions): Promise<void>;
}
