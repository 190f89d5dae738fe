import { z } from 'zod';
import type { DocumentMetadata, StoredOwner } from '#src/tables/documents.ts';
import { adfToMarkdown } from './adf-to-markdown.ts';
import type { ConnectorDocument } from '#src/connectors/source/connector.ts';
import { jiraTime } from './walk-issues.ts';
import { wikiMarkupToMarkdown } from './wiki-markup-to-markdown.ts';

const text = z.string().nullish();
const named = z.object({ name: text }).nullish();
const person = z.object({ displayName: text, emailAddress: text }).nullish();

const COMMENT = z.object({
  id: z.string(),
  author: person,
  body: z.unknown().optional(),
  created: text,
});
export type JiraComment = z.infer<typeof COMMENT>;

export const COMMENT_PAGE = z.object({ comments: z.array(COMMENT), total: z.number().nullish() });

export const ISSUE = z.object({
  key: z.string(),
  fields: z.object({
    summary: text,
    description: z.unknown().optional(),
    comment: COMMENT_PAGE.nullish(),
    project: z.object({ key: text, name: text }).nullish(),
    issuetype: named,
    status: named,
    priority: named,
    resolution: named,
    labels: z.array(z.string()).nullish(),
    assignee: person,
    reporter: person,
    created: text,
    updated: text,
    duedate: text,
    parent: z.object({ key: text }).nullish(),
    attachment: z.array(z.object({ filename: text })).nullish(),
  }),
});
export type JiraIssue = z.infer<typeof ISSUE>;

/** The fields to request besides custom fields. */
export const ISSUE_FIELDS = Object.keys(ISSUE.shape.fields.shape);

export function issueUrl(root: string, key: string): string {
  return `${root}/browse/${key}`;
}

/** The key of an issue from its document id; null when the document is not an issue. */
export function issueKey(root: string, documentId: string): string | null {
  const start = issueUrl(root, '');
  const key = documentId.startsWith(start) ? documentId.slice(start.length) : '';
  return /^[A-Za-z][A-Za-z0-9_]*-\d+$/.test(key) ? key : null;
}

/**
 * One document: the description, custom fields, names of attachments, and a section for each comment.
 * @throws Error when a text is neither wiki markup nor ADF
 */
export function issueDocument(
  { key, fields }: JiraIssue,
  comments: readonly JiraComment[],
  options: {
    root: string;
    id: string;
    /** Text of its custom fields. */
    customText: string;
    commentEmailBlacklist: ReadonlySet<string>;
  },
): ConnectorDocument {
  const link = issueUrl(options.root, key);
  const summary = fields.summary?.trim() ?? '';
  const description = richText(fields.description);
  const shown = comments.filter(
    ({ author }) => !options.commentEmailBlacklist.has(author?.emailAddress?.toLowerCase() ?? ''),
  );
  const updatedMs = fields.updated ? jiraTime(fields.updated) : null;
  return {
    id: options.id,
    semanticIdentifier: summary === '' ? key : `${key}: ${summary}`,
    title: null,
    sections: [
      { text: description || summary || key, link },
      { text: options.customText, link },
      { text: attachmentText(fields), link },
      ...shown.map((comment) => commentSection(link, comment)),
    ].filter((section) => section.text !== ''),
    metadata: issueMetadata(key, fields),
    updatedAt: updatedMs === null ? null : new Date(updatedMs),
    primaryOwners: owners(fields.reporter),
    secondaryOwners: owners(fields.assignee),
    source: null,
  };
}

function commentSection(
  issueLink: string,
  { id, author, body, created }: JiraComment,
): { text: string; link: string } {
  const words = richText(body);
  const by = author?.displayName?.trim() || 'someone';
  const on = created ? ` on ${created.slice(0, 10)}` : '';
  return {
    text: words === '' ? '' : `Comment by ${by}${on}:\n\n${words}`,
    link: `${issueLink}?focusedCommentId=${encodeURIComponent(id)}`,
  };
}

/** Version 3 of the API returns ADF documents, version 2 wiki markup. */
function richText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? wikiMarkupToMarkdown(value) : adfToMarkdown(value).trim();
}

function issueMetadata(key: string, fields: JiraIssue['fields']): DocumentMetadata {
  const values: Record<string, string | null | undefined> = {
    key,
    project: fields.project?.key,
    project_name: fields.project?.name,
    issuetype: fields.issuetype?.name,
    status: fields.status?.name,
    priority: fields.priority?.name,
    resolution: fields.resolution?.name,
    assignee: fields.assignee?.displayName,
    reporter: fields.reporter?.displayName,
    created: fields.created,
    duedate: fields.duedate,
    parent: fields.parent?.key,
  };
  const metadata: DocumentMetadata = {};
  for (const [name, value] of Object.entries(values)) {
    if (value?.trim()) metadata[name] = value.trim();
  }
  const labels = fields.labels?.filter((label) => label.trim() !== '') ?? [];
  if (labels.length > 0) metadata['labels'] = labels;
  const attachments = attachmentNames(fields);
  if (attachments.length > 0) metadata['attachments'] = attachments;
  return metadata;
}

const MAX_ATTACHMENTS = 100;

function attachmentNames({ attachment }: JiraIssue['fields']): string[] {
  const names = (attachment ?? []).flatMap(({ filename }) => filename?.trim() || []);
  return [...new Set(names)].slice(0, MAX_ATTACHMENTS);
}

function attachmentText(fields: JiraIssue['fields']): string {
  const names = attachmentNames(fields);
  return names.length === 0 ? '' : `Attachments: ${names.join(', ')}`;
}

function owners(someone: z.infer<typeof person>): StoredOwner[] {
  const owner = {
    ...(someone?.displayName?.trim() && { display_name: someone.displayName.trim() }),
    ...(someone?.emailAddress?.trim() && { email: someone.emailAddress.trim() }),
  };
  return Object.keys(owner).length === 0 ? [] : [owner];
}
