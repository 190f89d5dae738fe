/** The exit status. */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** The command was typed incorrectly; exits with status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command failed; the message is complete, and the exit status is 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
