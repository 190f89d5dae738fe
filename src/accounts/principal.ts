import type { ApiKeyId, PersonSessionId, UserId, WorkspaceId } from '#src/ids.ts';
import type { PlanTier, Role } from '#src/tables/accounts.ts';

/** The caller that an API key or a session identifies. */
export interface Principal {
  readonly workspaceId: WorkspaceId;
  readonly userId: UserId;
  /** Null for a session. */
  readonly keyId: ApiKeyId | null;
  /** Null for an API key. */
  readonly sessionId: PersonSessionId | null;
  readonly role: Role;
  readonly plan: PlanTier;
  readonly isBootstrapWorkspace: boolean;
}

/** What a caller may be allowed; `any` is every valid key or session. */
export const CALLER_SCOPES = [
  'any',
  'read',
  'ingest',
  'read-or-ingest',
  'member',
  'admin',
  'bootstrap-admin',
  'operator-read',
] as const;

export type CallerScope = (typeof CALLER_SCOPES)[number];

/** The access that a route requires; `public` needs no caller. */
export type Scope = 'public' | CallerScope;

/** What spans all workspaces is for the operator's workspace alone. */
type OperatorScope = Extract<CallerScope, 'bootstrap-admin' | 'operator-read'>;

const ROLES_OF_SCOPE: Readonly<Record<CallerScope, readonly Role[]>> = {
  any: ['admin', 'member', 'ingest', 'read', 'observer'],
  read: ['admin', 'member', 'read'],
  ingest: ['admin', 'member', 'ingest'],
  'read-or-ingest': ['admin', 'member', 'ingest', 'read'],
  member: ['admin', 'member'],
  admin: ['admin'],
  'bootstrap-admin': ['admin'],
  'operator-read': ['admin', 'observer'],
};

/** What a role may do in a workspace: every scope that `whyForbidden` lets it pass. */
export function scopesOf(role: Role, isBootstrapWorkspace: boolean): CallerScope[] {
  return CALLER_SCOPES.filter(
    (scope) =>
      ROLES_OF_SCOPE[scope].includes(role) && (isBootstrapWorkspace || !isOperatorScope(scope)),
  );
}

/** The error message that names the required key or role, or null when the principal has access. */
export function whyForbidden(principal: Principal, scope: CallerScope): string | null {
  const roles = ROLES_OF_SCOPE[scope];
  if (!roles.includes(principal.role)) {
    if (principal.sessionId !== null) {
      return `This needs the role ${listOf(roles)}; your role in this workspace is ${principal.role}.`;
    }
    return `This needs an API key with the role ${listOf(roles)}; this key has the role ${principal.role}.`;
  }
  if (isOperatorScope(scope) && !principal.isBootstrapWorkspace) {
    if (principal.sessionId !== null) {
      return 'This is for operators: admins of the workspace that this deployment began with.';
    }
    return `This needs ${scope === 'operator-read' ? 'an admin or observer key' : 'an admin key'} of the bootstrap workspace; this key belongs to another workspace.`;
  }
  return null;
}

function isOperatorScope(scope: CallerScope): scope is OperatorScope {
  return scope === 'bootstrap-admin' || scope === 'operator-read';
}

/** `admin`, `admin or member`, `admin, member or read` */
function listOf(roles: readonly Role[]): string {
  const [last, ...others] = roles.toReversed();
  return others.length === 0 ? String(last) : `${others.toReversed().join(', ')} or ${last}`;
}
