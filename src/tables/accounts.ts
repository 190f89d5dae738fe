import type { Generated } from 'kysely';
import type { ApiKeyId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Timestamp } from './column-types.ts';

export const PLAN_TIERS = ['Free', 'Personal', 'Pro', 'Agency', 'Enterprise'] as const;
export type PlanTier = (typeof PLAN_TIERS)[number];

export const ROLES = ['admin', 'member', 'ingest', 'read'] as const;
export type Role = (typeof ROLES)[number];

interface WorkspaceTable {
  id: WorkspaceId;
  name: string;
  /** The current plan: that of the subscription, else `base_plan_tier`. */
  plan_tier: PlanTier;
  /** The plan without a subscription: the default, or one that an operator has set. */
  base_plan_tier: PlanTier;
  /** When `plan_tier` took effect. */
  plan_since: Timestamp;
  /** The workspace created at first start; its admins may create others. */
  is_bootstrap: Generated<boolean>;
  created_at: Timestamp;
}

interface UserAccountTable {
  id: UserId;
  workspace_id: WorkspaceId;
  display_name: string;
  email: string | null;
  /** IANA name; determines the user's day boundaries. */
  time_zone: Generated<string>;
  time_zone_changed_at: Date | null;
  created_at: Timestamp;
}

interface ApiKeyTable {
  id: ApiKeyId;
  workspace_id: WorkspaceId;
  user_id: UserId;
  name: string;
  role: Role;
  /** SHA-256 of the whole key. */
  key_hash: Buffer;
  prefix: string;
  last_four: string;
  /** Set for the key from `BOOTSTRAP_ADMIN_API_KEY`, which is replaced when the setting changes. */
  is_bootstrap: Generated<boolean>;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  created_at: Timestamp;
}

/** Workspaces, their users and keys. */
export interface AccountsTables {
  workspace: WorkspaceTable;
  user_account: UserAccountTable;
  api_key: ApiKeyTable;
}
