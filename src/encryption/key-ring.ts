import path from 'node:path';
import type { Config } from '#src/platform/config.ts';
import { createSecretBox, type SecretBox } from '#src/platform/crypto.ts';
import type { DataDirectory } from '#src/platform/data-directory.ts';
import { encryptionKeys } from '#src/platform/encryption-keys.ts';
import { StartError } from '#src/platform/errors.ts';

/** The keys of this process, and where an operator sets them. */
export interface KeyRing {
  /** The first one seals. */
  readonly keys: readonly Buffer[];
  readonly secrets: SecretBox;
  /** `ENCRYPTION_KEY`, or the file in the data directory. */
  readonly setting: string;
}

/**
 * Reads the setting if there is one; otherwise the embedded size uses the key in its data directory.
 * @throws StartError when there is no key, or the one in the directory is invalid
 */
export function readKeyRing(
  config: Pick<Config, 'ENCRYPTION_KEY' | 'DATA_DIR'>,
  dataDirectory: Pick<DataDirectory, 'secrets'> | null,
): KeyRing {
  if (config.ENCRYPTION_KEY !== undefined) {
    return ringOf(config.ENCRYPTION_KEY, 'ENCRYPTION_KEY');
  }
  if (dataDirectory === null) {
    throw new StartError('ENCRYPTION_KEY is missing. Make one with: openssl rand -base64 32');
  }
  const setting = `encryption_key in ${path.join(config.DATA_DIR, 'secrets.json')}`;
  const kept = encryptionKeys.safeParse(dataDirectory.secrets.encryptionKey);
  if (!kept.success) {
    throw new StartError(`The ${setting} ${kept.error.issues[0]?.message ?? 'is not a key'}.`);
  }
  return ringOf(kept.data, setting);
}

function ringOf(keys: readonly Buffer[], setting: string): KeyRing {
  return { keys, secrets: createSecretBox(keys), setting };
}
