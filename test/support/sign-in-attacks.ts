import type { AttackValues } from './connector-attacks.ts';
import type { SeededWorkspace } from './seed-workspace.ts';

const password = 'stolen password';

/** Requests of B that target A's people, sessions and invitations. */
export function signInAttacks(a: SeededWorkspace): AttackValues {
  const person = { name: 'Taken', email: a.personEmail, password };
  return {
    paths: {
      'GET /auth/callback/{provider}': { provider: 'oidc' },
      'DELETE /session/sessions/{id}': { id: a.personSessionId },
      'PATCH /account/members/{id}': [{ id: a.memberId }, { id: a.personMemberId }],
      'DELETE /account/invitations/{id}': { id: a.invitationId },
    },
    queries: { 'GET /auth/callback/{provider}': ['', '?code=guess&state=guess'] },
    bodies: {
      'POST /auth/sign-in/email': [{ email: a.personEmail, password }],
      'POST /auth/request-password-reset': [{ email: a.personEmail }],
      'POST /auth/reset-password': [{ token: 'guess', newPassword: password }],
      'POST /auth/change-password': [
        { currentPassword: 'guess', newPassword: password, email: a.personEmail },
      ],
      'POST /auth/sign-in/social': [{ provider: 'oidc', callbackURL: 'https://stolen.test/' }],
      'PUT /session/workspace': [{ workspace_id: a.workspaceId }],
      'PATCH /session/person': [{ name: 'Mine', id: a.personId }],
      'DELETE /session/person': [{ password: 'guess', id: a.personId }],
      'POST /session/owner': [{ token: 'guess', ...person }],
      'POST /session/sign-up': [{ ...person, workspace_name: 'Taken' }],
      'POST /session/invitation': [{ token: 'guess' }, { token: a.invitationId }],
      'POST /session/invitation/accept': [{ token: 'guess', name: 'Taken', password }],
      'PATCH /account/members/{id}': [{ role: 'read' }],
      'POST /account/invitations': [
        { email: a.personEmail, role: 'admin', workspace_id: a.workspaceId },
      ],
    },
    headers: {},
  };
}
