import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { StartError } from './errors.ts';

const OWNER_ONLY = 0o600;
const OWNER_ONLY_FOLDER = 0o700;
const MAX_LOCK_ATTEMPTS = 5;
const LOCK_FILE = 'millrace.pid';
const SECRETS_FILE = 'secrets.json';
const LOCAL_SERVICE_FILE = 'local-service.json';

const secretsSchema = z.object({
  encryption_key: z.string(),
  admin_api_key: z.string().nullable(),
});
const localServiceSchema = z.object({ url: z.string(), api_key: z.string(), pid: z.number() });

/** Secrets that the embedded size generates at first start and keeps, readable only by their owner. */
export interface EmbeddedSecrets {
  /** 32 bytes, base64; several keys are separated by commas, as in `ENCRYPTION_KEY`. */
  encryptionKey: string;
  adminApiKey: string | null;
}

export type LocalService = z.output<typeof localServiceSchema>;

/** The embedded size's data directory with its secrets and address; used by one process at a time. */
export interface DataDirectory {
  readonly databasePath: string;
  readonly secrets: EmbeddedSecrets;
  saveSecrets(secrets: EmbeddedSecrets): void;
  /** Tells the `millrace` command on this machine where the service is. */
  announce(service: { url: string; apiKey: string }): void;
  release(): void;
}

/**
 * Locks and opens the directory, creating it if it does not exist.
 * @throws StartError when another process uses it
 */
export async function openDataDirectory(directory: string): Promise<DataDirectory> {
  await mkdir(directory, { recursive: true, mode: OWNER_ONLY_FOLDER });
  const lock = path.join(directory, LOCK_FILE);
  takeLock(lock, directory);
  const databasePath = path.join(directory, 'pglite');
  // PGlite makes its files world-readable; in a directory that already existed, its database folder must not be.
  await mkdir(databasePath, { recursive: true });
  await chmod(databasePath, OWNER_ONLY_FOLDER);
  const localService = path.join(directory, LOCAL_SERVICE_FILE);
  const secretsFile = path.join(directory, SECRETS_FILE);
  return {
    databasePath,
    secrets: readSecrets(secretsFile),
    saveSecrets: (secrets) => {
      writeOwnerOnly(secretsFile, {
        encryption_key: secrets.encryptionKey,
        admin_api_key: secrets.adminApiKey,
      });
    },
    announce: ({ url, apiKey }) => {
      writeOwnerOnly(localService, { url, api_key: apiKey, pid: process.pid });
    },
    release: () => {
      rmSync(localService, { force: true });
      rmSync(lock, { force: true });
    },
  };
}

/** The embedded service running over this directory; null when none was started. */
export function findLocalService(directory: string): LocalService | null {
  const text = readIfPresent(path.join(directory, LOCAL_SERVICE_FILE));
  return text === null ? null : localServiceSchema.parse(JSON.parse(text));
}

/**
 * Only one process may use PGlite's files; a second one would corrupt them. The lock file appears atomically with its
 * content (a hard link), and a stale one is moved aside before it is examined, so that two processes starting at once
 * cannot both win.
 */
function takeLock(lock: string, directory: string): void {
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, String(process.pid), { mode: OWNER_ONLY });
  try {
    for (let attempt = 0; attempt < MAX_LOCK_ATTEMPTS; attempt += 1) {
      if (linkIfAbsent(mine, lock)) return;
      const holder = Number(readIfPresent(lock) ?? '0');
      if (isAlive(holder)) {
        throw new StartError(
          `DATA_DIR ${directory} is in use by the Millrace process ${holder}. Stop it, or set DATA_DIR to another folder.`,
        );
      }
      removeStale(lock, `${mine}.stale`);
    }
  } finally {
    rmSync(mine, { force: true });
  }
  throw new StartError(
    `DATA_DIR ${directory} cannot be locked: ${lock} keeps coming back. Is another process starting?`,
  );
}

function linkIfAbsent(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Removes the lock of a killed process, unless another process took it over since it was read. */
function removeStale(lock: string, aside: string): void {
  try {
    renameSync(lock, aside);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  if (isAlive(Number(readIfPresent(aside) ?? '0'))) linkIfAbsent(aside, lock);
  rmSync(aside, { force: true });
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}

function readSecrets(file: string): EmbeddedSecrets {
  const text = readIfPresent(file);
  if (text === null) {
    return { encryptionKey: randomBytes(32).toString('base64'), adminApiKey: null };
  }
  const secrets = secretsSchema.safeParse(parseJson(text));
  if (!secrets.success) {
    throw new StartError(
      `${file} cannot be read: it must hold {"encryption_key": "...", "admin_api_key": "..." or null}. It was edited or damaged; restore it from a backup.`,
    );
  }
  return { encryptionKey: secrets.data.encryption_key, adminApiKey: secrets.data.admin_api_key };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function writeOwnerOnly(file: string, content: unknown): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`, { mode: OWNER_ONLY });
}

function readIfPresent(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
