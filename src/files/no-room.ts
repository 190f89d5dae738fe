import { Problem } from '#src/platform/errors.ts';

/** What an upload is told when the disk under it is full; null for every other failure. */
export function noRoom(error: unknown): Problem | null {
  const isFull =
    error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code));
  if (!isFull) return null;
  return new Problem(
    'SERVICE_UNAVAILABLE',
    'The server has no room for the file: its disk is full. Tell its operator, and try again later.',
    { cause: error },
  );
}
