/** What an error says. An `AggregateError` of a refused connection has an empty message of its own. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
