import type { UserFileId } from '#src/ids.ts';
import type { Services } from '#src/services.ts';

/** Placeholder of an interface; the feature fills it. */
export async function processUserFile(
  _services: Services,
  _id: UserFileId,
  _signal: AbortSignal,
): Promise<{ chunks: number }> {
  return Promise.resolve({ chunks: 0 });
}
