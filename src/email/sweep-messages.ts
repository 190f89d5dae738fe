import type { Services } from '#src/services.ts';

/** Deletes messages past retention. */
export function sweepMessages(
  _services: Pick<Services, 'db' | 'config'>,
  _signal: AbortSignal,
): Promise<number> {
  return Promise.resolve(0);
}
