import type { UserId, WorkspaceId } from '#src/ids.ts';

/** The owner of files: every query uses both ids, so other users of the workspace see none of them. */
export interface UserFileOwner {
  workspaceId: WorkspaceId;
  userId: UserId;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether the database can look up the id; any other is unknown. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
