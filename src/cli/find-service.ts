import { findLocalService, type LocalService } from '#src/platform/data-directory.ts';
import { CommandFailure } from './exit.ts';

/** The address of a Millrace service, without a trailing slash, and a key for it. */
export interface ServiceAddress {
  url: string;
  key: string;
}

/**
 * Command-line options take precedence over the environment, which takes precedence over the local service's own file.
 */
export interface AddressSources {
  url: string | undefined;
  key: string | undefined;
  dataDir: string;
}

const HOW_TO_CONNECT =
  'Start one here with "npm start", or set MILLRACE_URL and MILLRACE_API_KEY (or --url and --key) to reach one elsewhere.';

/**
 * Finds the service to talk to.
 * @throws CommandFailure with a message that says what is missing and how to get it
 */
export function findService(sources: AddressSources): ServiceAddress {
  const url = sources.url === undefined ? null : withoutSlash(sources.url);
  if (url !== null && sources.key !== undefined) return { url, key: sources.key };
  const local = readLocalService(sources.dataDir);
  if (url !== null) {
    if (local && withoutSlash(local.url) === url) return { url, key: local.api_key };
    throw new CommandFailure(`No key for ${url}: set MILLRACE_API_KEY or give --key.`);
  }
  if (local === null) {
    throw new CommandFailure(`No Millrace service found in ${sources.dataDir}. ${HOW_TO_CONNECT}`);
  }
  if (!isRunning(local.pid)) {
    throw new CommandFailure(
      `The local service of ${sources.dataDir} is not running (its last process was ${local.pid}). ${HOW_TO_CONNECT}`,
    );
  }
  return { url: withoutSlash(local.url), key: sources.key ?? local.api_key };
}

function readLocalService(dataDir: string): LocalService | null {
  try {
    return findLocalService(dataDir);
  } catch (error) {
    throw new CommandFailure(
      `The local service's file in ${dataDir} cannot be read or is damaged. Restart the service, or set MILLRACE_URL and MILLRACE_API_KEY.`,
      { cause: error },
    );
  }
}

/** Signal 0 tests whether a process exists; EPERM means that it exists but belongs to another user. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
