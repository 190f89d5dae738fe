import type { UserId, WorkspaceId } from '#src/ids.ts';

/** The owner of files: every query uses both ids, so other users of the workspace see none of them. */
export interface UserFileOwner {
  workspaceId: WorkspaceId;
  userId: UserId;
}
