import type { WorkspaceId } from '#src/ids.ts';

/** A row that a job or failure is about: its workspace, and the id of the page that shows it. */
export interface PageRow {
  id: string;
  workspace_id: WorkspaceId;
  /** Null when no page shows it. */
  page_id: string | null;
}
