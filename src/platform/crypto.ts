import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { keyIdOf } from './encryption-keys.ts';

/** A secret that the present keys cannot open; it is not lost. The message gives the remedy. */
export class UnreadableSecret extends Error {
  override readonly name = 'UnreadableSecret';
}

/** Secrets at rest: AES-256-GCM under the deployment's keys, bound to the row that holds them. */
export interface SecretBox {
  /** Ids of the keys that can open values, the sealing key first. */
  readonly keyIds: readonly [string, ...string[]];
  /** @param rowName what the value belongs to, such as `credential:12`; opening it requires the same name */
  seal(plain: string, rowName: string): string;
  /** @throws UnreadableSecret naming the missing key, or saying that the value is damaged or belongs to another row */
  open(sealed: string, rowName: string): string;
}

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** NIST SP 800-38D §8.2.2: random, of the recommended length; safe for 2^32 values under one key. */
const IV_BYTES = 12;
const TAG_BYTES = 16;
const FORMAT = /^v1\.([0-9a-f]{8})\.([\w-]{16})\.([\w-]{22,})$/;

/**
 * Values have the form `v1.<key id>.<iv>.<tag and ciphertext>`; the key id tells which key opens a value.
 * @param keys the first one seals, all of them open
 */
export function createSecretBox(keys: readonly Buffer[]): SecretBox {
  const [sealing, ...others] = keys;
  if (sealing === undefined) throw new Error('A secret box needs a key.');
  for (const { length } of keys) {
    if (length !== KEY_BYTES) {
      throw new Error(`The encryption key has ${length} bytes; it needs ${KEY_BYTES}.`);
    }
  }
  const ring = new Map(keys.map((key) => [keyIdOf(key), key]));
  const keyId = keyIdOf(sealing);
  return {
    keyIds: [keyId, ...others.map(keyIdOf)],
    seal(plain, rowName) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, sealing, iv).setAAD(Buffer.from(rowName));
      const encrypted = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      const box = Buffer.concat([cipher.getAuthTag(), encrypted]);
      return ['v1', keyId, iv.toString('base64url'), box.toString('base64url')].join('.');
    },
    open(sealed, rowName) {
      const [, sealedBy, iv = '', box = ''] = FORMAT.exec(sealed) ?? [];
      if (sealedBy === undefined) {
        throw new UnreadableSecret(
          `The secret of ${rowName} is damaged: it is not in the format v1.`,
        );
      }
      const key = ring.get(sealedBy);
      if (key === undefined) throw new UnreadableSecret(keyMissing(rowName, sealedBy, ring));
      return decrypt(key, { iv, box }, rowName);
    },
  };
}

function keyMissing(rowName: string, sealedBy: string, ring: ReadonlyMap<string, Buffer>): string {
  const ids = [...ring.keys()];
  const present = ids.length === 1 ? `is the key ${ids[0]}` : `has the keys ${ids.join(', ')}`;
  return `The secret of ${rowName} was encrypted with the key ${sealedBy}, but ENCRYPTION_KEY ${present}. Start with the original key, or enter the secret again.`;
}

function decrypt(key: Buffer, { iv, box }: { iv: string; box: string }, rowName: string): string {
  const bytes = Buffer.from(box, 'base64url');
  const decipher = createDecipheriv(ALGORITHM, key, Buffer.from(iv, 'base64url'), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(rowName))
    .setAuthTag(bytes.subarray(0, TAG_BYTES));
  try {
    const plain = decipher.update(bytes.subarray(TAG_BYTES));
    return Buffer.concat([plain, decipher.final()]).toString('utf8');
  } catch (error) {
    throw new UnreadableSecret(
      `The secret of ${rowName} is damaged, or it belongs to another row.`,
      { cause: error },
    );
  }
}
