/** The message of an error. For a refused connection, an `AggregateError` has an empty message itself. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
