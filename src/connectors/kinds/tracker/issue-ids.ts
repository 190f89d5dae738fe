import type { ConnectorContext, MemoryEntry } from '#src/connectors/source/connector.ts';
import { issueUrl } from './jira-issue.ts';

/** The documents of issues, by the numbers by which Jira itself knows them. */
export interface IssueIds {
  of(issue: { id: string; key: string }): string;
  /** What is to be remembered of those that were asked for. */
  memory: MemoryEntry[];
}

/**
 * The address under which an issue was read first stays the id of its document: keys change when an issue moves or its
 * project is renamed (which does not even count as a change of its issues), and the old address leads to it still.
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
      // Not of another site that the settings named then.
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
