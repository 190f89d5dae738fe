import type { Timestamp } from './column-types.ts';

/** A key of `ENCRYPTION_KEY` with which a process has started; see src/encryption. The key itself is not stored. */
interface EncryptionKeyTable {
  /** 8 hex digits, which are part of every value that the key has sealed. */
  id: string;
  /** Distinguishes keys with the same id; null when no process has had the key. */
  check_value: string | null;
  /** Since when processes may start without it. */
  lost_at: Date | null;
  created_at: Timestamp;
}

/** Keys that seal secrets. */
export interface EncryptionTables {
  encryption_key: EncryptionKeyTable;
}
