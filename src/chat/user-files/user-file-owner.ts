import type { UserId, WorkspaceId } from '#src/ids.ts';

/** Whose files: every query takes both ids, for another user of the workspace sees none of them. */
export interface UserFileOwner {
  workspaceId: WorkspaceId;
  userId: UserId;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether the database can look for it; anything else is an unknown id. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
