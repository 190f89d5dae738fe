import fc from 'fast-check';

/** Processes that a fault can hit. `main` is the only one of the embedded size. */
export type Target = 'api-1' | 'api-2' | 'workers-1' | 'workers-2' | 'main';

export type Fault =
  /** SIGKILL; started again after `ms`, with a clock that is `clockMs` wrong. */
  | { kind: 'kill'; target: Target; ms: number; clockMs: number }
  /** SIGSTOP, and SIGCONT after `ms`. */
  | { kind: 'stop'; target: Target; ms: number }
  /** SIGTERM, as in a deployment; started again when it has ended. */
  | { kind: 'restart'; target: Target; clockMs: number }
  | { kind: 'crash-postgres'; ms: number }
  | { kind: 'cut-postgres'; ms: number }
  /** Killed, and started again with nothing in it. */
  | { kind: 'crash-redis'; ms: number }
  | { kind: 'stop-redis'; ms: number }
  | { kind: 'cut-redis'; ms: number }
  | { kind: 'flush-redis' }
  /** Jobs that were done long ago, are of rows that are gone, or that no version understands. */
  | { kind: 'stale-jobs' };

export interface Operation {
  /** Number of the document. */
  document: number;
  action: 'write' | 'delete';
  /** Pause before it. */
  waitMs: number;
}

export interface ChaosScript {
  /** One list for each client, which works it off in order. No document belongs to two clients. */
  clients: Operation[][];
  /** One after the other, each with the pause before it. */
  faults: { waitMs: number; fault: Fault }[];
}

/** How much a script holds: the length of each client's list, and the number of faults. */
export interface ChaosLength {
  operations: number;
  faults: number;
}
export const SHORT: ChaosLength = { operations: 20, faults: 3 };
export const LONG: ChaosLength = { operations: 60, faults: 8 };

export type ChaosSize = 'embedded' | 'scale-out';

const CLIENTS = 4;
const DOCUMENTS_PER_CLIENT = 12;

/** The same script for the same seed. */
export function chaosScript(seed: number, size: ChaosSize, length: ChaosLength): ChaosScript {
  const clients = Array.from({ length: CLIENTS }, (_, client) =>
    operationsOf(client, length.operations),
  );
  const faults = fc.array(
    fc.record({ waitMs: fc.integer({ min: 200, max: 2_500 }), fault: FAULTS_OF[size] }),
    { minLength: length.faults, maxLength: length.faults },
  );
  const [script] = fc.sample(
    // Without bias to small values, which helps where a failure is shrunk.
    fc.noBias(fc.record({ clients: fc.tuple(...clients), faults })),
    { seed, numRuns: 1 },
  );
  if (script === undefined) throw new Error('No script was drawn.');
  return script;
}

function operationsOf(client: number, count: number): fc.Arbitrary<Operation[]> {
  const first = client * DOCUMENTS_PER_CLIENT;
  return fc.array(
    fc.record({
      document: fc.integer({ min: first, max: first + DOCUMENTS_PER_CLIENT - 1 }),
      action: fc.constantFrom('write', 'write', 'write', 'write', 'delete'),
      waitMs: fc.integer({ min: 0, max: 300 }),
    }),
    { minLength: count, maxLength: count },
  );
}

const ms = fc.integer({ min: 100, max: 4_000 });
/** Up to ten minutes fast or slow; right half of the time. */
const clockMs = fc.oneof(fc.constant(0), fc.integer({ min: -600_000, max: 600_000 }));

function processFaults(...targets: Target[]): fc.Arbitrary<Fault>[] {
  const target = fc.constantFrom(...targets);
  return [
    fc.record({ kind: fc.constant('kill'), target, ms, clockMs }),
    fc.record({ kind: fc.constant('stop'), target, ms }),
    fc.record({ kind: fc.constant('restart'), target, clockMs }),
  ];
}

const FAULTS_OF: Record<ChaosSize, fc.Arbitrary<Fault>> = {
  embedded: fc.oneof(...processFaults('main')),
  'scale-out': fc.oneof(
    ...processFaults('api-1', 'api-2', 'workers-1', 'workers-2'),
    ...(['crash-postgres', 'cut-postgres', 'crash-redis', 'stop-redis', 'cut-redis'] as const).map(
      (kind) => fc.record({ kind: fc.constant(kind), ms }),
    ),
    fc.record({ kind: fc.constant('flush-redis') }),
    fc.record({ kind: fc.constant('stale-jobs') }),
  ),
};
