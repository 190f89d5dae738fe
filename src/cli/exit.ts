/** What the shell sees. */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** The command was typed wrongly; ends with status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command could not do its work; the message is the whole story and ends with status 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
