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

/** The access that a route requires; `public` needs no caller, `any` accepts every valid key or session. */
export type Scope = 'public' | 'any' | 'read' | 'ingest' | 'member' | 'admin' | OperatorScope;

/** What spans all workspaces is for the operator's workspace alone. */
type OperatorScope = 'bootstrap-admin' | 'operator-read';

const ROLES_OF_SCOPE: Readonly<Record<Exclude<Scope, 'public'>, readonly Role[]>> = {
  any: ['admin', 'member', 'ingest', 'read', 'observer'],
  read: ['admin', 'member', 'read'],
  ingest: ['admin', 'member', 'ingest'],
  member: ['admin', 'member'],
  admin: ['admin'],
  'bootstrap-admin': ['admin'],
  'operator-read': ['admin', 'observer'],
};

/** The error message that names the required key or role, or null when the principal has access. */
export function whyForbidden(principal: Principal, scope: Exclude<Scope, 'public'>): string | null {
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

function isOperatorScope(scope: Scope): scope is OperatorScope {
  return scope === 'bootstrap-admin' || scope === 'operator-read';
}

/** `admin`, `admin or member`, `admin, member or read` */
function listOf(roles: readonly Role[]): string {
  const [last, ...others] = roles.toReversed();
  return others.length === 0 ? String(last) : `${others.toReversed().join(', ')} or ${last}`;
}
