import type { Services } from '#src/services.ts';

/** Deletes scrapes past retention with their leads. */
export function sweepLeads(
  _services: Pick<Services, 'db' | 'config'>,
  _signal: AbortSignal,
): Promise<number> {
  return Promise.resolve(0);
}
