import type { ConnectorContext, MemoryEntry } from '#src/connectors/source/connector.ts';
import { issueUrl } from './jira-issue.ts';

/** The documents of issues, by Jira's numeric issue ids. */
export interface IssueIds {
  of(issue: { id: string; key: string }): string;
  /** What to remember of the requested issues. */
  memory: MemoryEntry[];
}

/**
 * The URL under which an issue was first read stays the id of its document. Keys change when an issue moves or its
 * project is renamed (which does not even count as a change of its issues), but the old URL still redirects.
 */
export async function recallIssueIds(
  root: string,
  issues: readonly { id: string }[],
  context: ConnectorContext,
): Promise<IssueIds> {
  const known = await context.recall(issues.map(({ id }) => memoryKey(id)));
  const memory: MemoryEntry[] = [];
  return {
    memory,
    of({ id, key }) {
      const before = known.get(memoryKey(id));
      // Ignores URLs of another site that the settings named before.
      if (typeof before === 'string' && before.startsWith(issueUrl(root, ''))) return before;
      const value = issueUrl(root, key);
      known.set(memoryKey(id), value);
      memory.push({ key: memoryKey(id), documentId: null, value, lasting: true });
      return value;
    },
  };
}

function memoryKey(issueId: string): string {
  return `issue:${issueId}`;
}
