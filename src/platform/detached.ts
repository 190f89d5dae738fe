import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Runs work that serves many callers outside the request or job that happened to start it; its traces would otherwise
 * count all of it as theirs.
 */
export const detached: <T>(work: () => T) => T = AsyncLocalStorage.snapshot();
