import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** A secret that cannot be had with the present key; nothing of it is lost. The message says what to do. */
export class UnreadableSecret extends Error {
  override readonly name = 'UnreadableSecret';
}

/** Secrets at rest: AES-256-GCM under the deployment's key, bound to the row that holds them. */
export interface SecretBox {
  /** @param rowName what the value belongs to, such as `credential:12`; it must be the same when it is opened */
  seal(plain: string, rowName: string): string;
  /** @throws UnreadableSecret that says which key is missing, or that the value is damaged or belongs to another row */
  open(sealed: string, rowName: string): string;
}

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** NIST SP 800-38D §8.2.2: random, of the recommended length; good for 2^32 values under one key. */
const IV_BYTES = 12;
const TAG_BYTES = 16;
const FORMAT = /^v1\.([0-9a-f]{8})\.([\w-]{16})\.([\w-]{22,})$/;

/** Values read `v1.<key id>.<iv>.<tag and ciphertext>`; the key id tells which key a value waits for. */
export function createSecretBox(key: Buffer): SecretBox {
  if (key.length !== KEY_BYTES) {
    throw new Error(`The encryption key has ${key.length} bytes; it needs ${KEY_BYTES}.`);
  }
  const keyId = createHash('sha256').update(key).digest('hex').slice(0, 8);
  return {
    seal(plain, rowName) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(rowName));
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
      if (sealedBy !== keyId) {
        throw new UnreadableSecret(
          `The secret of ${rowName} was encrypted with the key ${sealedBy}, but ENCRYPTION_KEY is the key ${keyId}. Start with the key that it was encrypted with, or enter the secret again.`,
        );
      }
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
    },
  };
}
