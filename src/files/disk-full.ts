import { Problem } from '#src/platform/errors.ts';

/** The error for an upload when the disk is full; null for every other failure. */
export function diskFullError(error: unknown): Problem | null {
  const isFull =
    error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code));
  if (!isFull) return null;
  return new Problem(
    'SERVICE_UNAVAILABLE',
    'The server has no space for the file: its disk is full. Tell its operator and try again later.',
    { cause: error },
  );
}
