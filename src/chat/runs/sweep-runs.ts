import type { Services } from '#src/services.ts';

/** Placeholder of an interface; the feature fills it. */
export async function sweepRuns(
  _services: Services,
  _signal: AbortSignal,
): Promise<{ ended: number; deleted: number }> {
  return Promise.resolve({ ended: 0, deleted: 0 });
}
