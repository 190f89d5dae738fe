import type { Generated, GeneratedAlways } from 'kysely';
import type { DoNotContactId, WorkspaceId } from '#src/ids.ts';
import type { Timestamp } from './column-types.ts';

export const DO_NOT_CONTACT_REASONS = [
  'manual',
  'erased',
  'unsubscribed',
  'bounced',
  'complained',
] as const;
export type DoNotContactReason = (typeof DO_NOT_CONTACT_REASONS)[number];

interface DoNotContactTable {
  id: GeneratedAlways<DoNotContactId>;
  workspace_id: WorkspaceId;
  kind: 'email' | 'domain';
  /** In lower case; a domain includes its subdomains. */
  value: string;
  reason: DoNotContactReason;
  note: Generated<string>;
  created_at: Timestamp;
}

/** A key for the tokens in unsubscribe links. */
interface UnsubscribeKeyTable {
  id: string;
  sealed_key: string;
  /** If false, it only reads older links. */
  makes_links: boolean;
  created_at: Timestamp;
}

/** Who must not be contacted, and the keys of unsubscribe links. */
export interface OutreachTables {
  do_not_contact: DoNotContactTable;
  unsubscribe_key: UnsubscribeKeyTable;
}
