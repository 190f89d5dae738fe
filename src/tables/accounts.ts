import type { Generated } from 'kysely';
import type {
  ApiKeyId,
  InvitationId,
  PersonId,
  PersonSessionId,
  UserId,
  WorkspaceId,
} from '#src/ids.ts';
import type { Timestamp } from './column-types.ts';

export const PLAN_TIERS = ['Free', 'Personal', 'Pro', 'Agency', 'Enterprise'] as const;
export type PlanTier = (typeof PLAN_TIERS)[number];

/** `observer`: sees operations and changes nothing; of use in the operator's workspace alone. */
export const ROLES = ['admin', 'member', 'ingest', 'read', 'observer'] as const;
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
  /** The person who signs in to this account; null for one that only has keys. */
  person_id: PersonId | null;
  /** Of the person's sessions here; null without a person. */
  sign_in_role: Role | null;
}

/** Somebody who signs in, to one workspace or several. */
interface PersonTable {
  id: Generated<PersonId>;
  name: string;
  /** In lower case. */
  email: string;
  /** Whether the person has shown to read mail at this address. */
  email_verified: Generated<boolean>;
  /** Never used: better-auth expects it. */
  image: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** A way to sign in: a password (`credential`) or an identity of a provider (`oidc`). */
interface PersonLoginTable {
  id: Generated<string>;
  person_id: PersonId;
  provider_id: string;
  /** The provider's name for the person; for a password, the person's id. */
  account_id: string;
  /** Salt and scrypt hash. */
  password: string | null;
  /** Tokens of the provider are never kept. */
  access_token: string | null;
  refresh_token: string | null;
  id_token: string | null;
  access_token_expires_at: Date | null;
  refresh_token_expires_at: Date | null;
  scope: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

interface PersonSessionTable {
  id: Generated<PersonSessionId>;
  person_id: PersonId;
  /** The chosen workspace, of which the person is a member. */
  workspace_id: WorkspaceId | null;
  /** Worthless without the signature that the cookie adds. */
  token: string;
  expires_at: Date;
  ip_address: string | null;
  user_agent: string | null;
  created_at: Timestamp;
  /** When it was last prolonged. */
  updated_at: Timestamp;
}

/** A token of a password reset, or the state of a sign-in at a provider. */
interface PersonVerificationTable {
  id: Generated<string>;
  /** Hashed. */
  identifier: string;
  value: string;
  expires_at: Date;
  created_at: Timestamp;
  updated_at: Timestamp;
}

interface InvitationTable {
  id: InvitationId;
  workspace_id: WorkspaceId;
  /** In lower case; null for an owner link. */
  email: string | null;
  role: Role;
  /** SHA-256 of the token in the link. */
  token_hash: Buffer;
  /** Whoever has a mailed link reads mail at the address. */
  is_mailed: Generated<boolean>;
  invited_by: UserId | null;
  created_at: Timestamp;
  expires_at: Date;
}

/** How often something limited was tried since its period began. */
interface SignInAttemptTable {
  key: string;
  count: number;
  ends_at: Date;
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

/** Workspaces, their users and keys, and people who sign in. */
export interface AccountsTables {
  workspace: WorkspaceTable;
  user_account: UserAccountTable;
  api_key: ApiKeyTable;
  person: PersonTable;
  person_login: PersonLoginTable;
  person_session: PersonSessionTable;
  person_verification: PersonVerificationTable;
  invitation: InvitationTable;
  sign_in_attempt: SignInAttemptTable;
}
