import { z } from 'zod';
import { type CustomField, customText } from './custom-fields.ts';
import type { ConnectorDocument, SkippedDocument } from '#src/connectors/source/connector.ts';
import {
  COMMENT_PAGE,
  ISSUE,
  issueDocument,
  type JiraComment,
  type JiraIssue,
} from './jira-issue.ts';
import type { JiraSite } from './jira-site.ts';
import { SourceRefused } from '#src/connectors/source/source-errors.ts';
import type { TrackerSettings } from './tracker-settings.ts';

const COMMENTS_PER_PAGE = 100;
const LABEL_SKIPPED = 'has a label to skip';

export type ReadIssue = { document: ConnectorDocument } | { skipped: SkippedDocument };

/**
 * Makes a document of an issue from search results, with all of its comments.
 * @throws SourceRefused when this issue cannot be read; others may be readable
 */
export async function readIssue(
  site: JiraSite,
  settings: TrackerSettings,
  raw: unknown,
  documentId: string,
  customFields: readonly CustomField[],
): Promise<ReadIssue> {
  const parsed = ISSUE.safeParse(raw);
  if (!parsed.success) {
    throw new SourceRefused(`The issue could not be read. ${z.prettifyError(parsed.error)}`);
  }
  const issue = parsed.data;
  if (hasLabelToSkip(issue.fields.labels, settings)) {
    return { skipped: { documentId, reason: LABEL_SKIPPED } };
  }
  const comments = await allComments(site, issue);
  try {
    const options = { ...settings, root: site.root, id: documentId };
    const words = customText(raw, customFields);
    return { document: issueDocument(issue, comments, { ...options, customText: words }) };
  } catch (error) {
    throw new SourceRefused('The text of the issue could not be read: it is not a Jira document.', {
      cause: error,
    });
  }
}

export function hasLabelToSkip(
  labels: readonly string[] | null | undefined,
  { labelsToSkip }: Pick<TrackerSettings, 'labelsToSkip'>,
): boolean {
  return labels?.some((label) => labelsToSkip.includes(label)) ?? false;
}

/**
 * A search returns only the first comments.
 * https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-comments/#api-rest-api-3-issue-issueidorkey-comment-get
 */
async function allComments({ http, api }: JiraSite, issue: JiraIssue): Promise<JiraComment[]> {
  const inline = issue.fields.comment;
  if (!inline || inline.comments.length >= (inline.total ?? 0)) return inline?.comments ?? [];
  const comments: JiraComment[] = [];
  for (;;) {
    const query = new URLSearchParams({
      startAt: String(comments.length),
      maxResults: String(COMMENTS_PER_PAGE),
      orderBy: 'created',
    });
    const url = `${api}/issue/${encodeURIComponent(issue.key)}/comment?${query}`;
    const { data } = await http.json({ url }, COMMENT_PAGE);
    comments.push(...data.comments);
    if (data.comments.length === 0 || comments.length >= (data.total ?? 0)) return comments;
  }
}
