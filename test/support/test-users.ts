import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { Role } from '#src/tables/accounts.ts';
import type { Answer } from './api-client.ts';
import type { TestMillrace } from './test-millrace.ts';

/** A user account of a workspace and its key. */
export interface TestUser {
  key: string;
  workspaceId: WorkspaceId;
  userId: UserId;
  call(method: string, path: string, body?: unknown): Promise<Answer>;
}

type Service = Pick<TestMillrace, 'call' | 'createWorkspace'>;

/** The owner, an admin, of a new workspace. */
export async function openWorkspace(millrace: Service): Promise<TestUser> {
  const { key } = await millrace.createWorkspace();
  return whoHas(millrace, key);
}

/** Another account in the admin's workspace. */
export async function addUser(millrace: Service, admin: TestUser, role: Role): Promise<TestUser> {
  const { body } = await admin.call('POST', '/account/members', { display_name: role, role });
  return whoHas(millrace, body.api_key);
}

async function whoHas(millrace: Service, key: string): Promise<TestUser> {
  const call: TestUser['call'] = (method, path, body) => millrace.call(method, path, body, { key });
  const { body } = await call('GET', '/account');
  return { key, call, workspaceId: body.workspace_id, userId: body.user_id };
}
