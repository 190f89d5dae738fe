import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandFailure } from './exit.ts';

/** The address of a Millrace service, without a slash at the end, and a key for it. */
export interface ServiceAddress {
  url: string;
  key: string;
}

/** Command-line options win over the environment, and that over the local service's own file. */
export interface AddressSources {
  url: string | undefined;
  key: string | undefined;
  dataDir: string;
}

/** Written by an embedded service at its start, mode 0600, removed at its end. */
export const LOCAL_SERVICE_FILE = 'local-service.json';

const localService = z.object({ url: z.url(), api_key: z.string(), pid: z.int() });

const HOW_TO_CONNECT =
  'Start one here with "npm start", or set MILLRACE_URL and MILLRACE_API_KEY (or --url and --key) to reach one elsewhere.';

/**
 * Finds the service to talk to.
 * @throws CommandFailure with a sentence that says what is missing and how to get it
 */
export async function findService(sources: AddressSources): Promise<ServiceAddress> {
  const url = sources.url === undefined ? null : withoutSlash(sources.url);
  if (url !== null && sources.key !== undefined) return { url, key: sources.key };
  const local = await readLocalService(sources.dataDir);
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

async function readLocalService(dataDir: string): Promise<z.output<typeof localService> | null> {
  const path = join(dataDir, LOCAL_SERVICE_FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new CommandFailure(
      `${path} cannot be read: ${String(error)}. Set MILLRACE_URL and MILLRACE_API_KEY instead.`,
      { cause: error },
    );
  }
  const parsed = localService.safeParse(parseJson(text));
  if (!parsed.success) {
    throw new CommandFailure(
      `${path} is damaged. Restart the local service, or set MILLRACE_URL and MILLRACE_API_KEY.`,
    );
  }
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Signal 0 asks whether a process exists; EPERM means that it does and belongs to another user. */
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
