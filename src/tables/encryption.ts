import type { Timestamp } from './column-types.ts';

/** A key of `ENCRYPTION_KEY` that a process has started with; see src/encryption. The key itself is not here. */
interface EncryptionKeyTable {
  /** 8 hex digits; they stand in every value that the key has sealed. */
  id: string;
  /** Tells the key from another one of the same id; null when no process has had it. */
  check_value: string | null;
  /** Since when processes start without it. */
  lost_at: Date | null;
  created_at: Timestamp;
}

/** Keys that seal secrets. */
export interface EncryptionTables {
  encryption_key: EncryptionKeyTable;
}
