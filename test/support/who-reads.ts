import type { ReadReplica } from '#src/platform/read-replica.ts';

/** Whether the replica is used, and how many reads it answered or left to the primary, as the metrics have it. */
export function whoReads(readReplica: ReadReplica) {
  const samples = readReplica.samples();
  const outcomeOf = (outcome: string) =>
    samples.find(
      ({ gauge, labels }) =>
        gauge === 'replicaReads' && 'outcome' in labels && labels.outcome === outcome,
    )?.value ?? 0;
  return {
    used: samples.some(({ gauge, value }) => gauge === 'replicaUsed' && value === 1),
    replica: outcomeOf('replica'),
    stale: outcomeOf('stale'),
    failed: outcomeOf('failed'),
    leftOut: outcomeOf('left_out'),
  };
}
