import type { z } from 'zod';
import { Problem } from './errors.ts';

const MAX_ISSUES = 5;
/** Limit for the message about one field, because some quote the value that was sent. */
const MAX_SENTENCE = 500;

type Issue = z.core.$ZodIssue;

/**
 * Parses one part of a request.
 * @throws Problem BAD_REQUEST naming each wrong field and what is expected there
 */
export function parsePart(
  part: 'path' | 'query' | 'body',
  schema: z.ZodType,
  value: unknown,
): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  if (part === 'body' && value === undefined) {
    throw new Problem('BAD_REQUEST', 'The request has no body. Send one in JSON.');
  }
  const { issues } = parsed.error;
  const sentences = issues.slice(0, MAX_ISSUES).map((issue) => cut(explain(part, issue)));
  const more = issues.length > MAX_ISSUES ? `; and ${issues.length - MAX_ISSUES} more` : '';
  throw new Problem('BAD_REQUEST', `${sentences.join('; ')}${more}`);
}

function cut(sentence: string): string {
  if (sentence.length <= MAX_SENTENCE) return sentence;
  return `${sentence.slice(0, MAX_SENTENCE).toWellFormed()}…`;
}

function explain(part: string, issue: Issue, parents: readonly PropertyKey[] = []): string {
  const path = [...parents, ...issue.path];
  if (issue.code === 'invalid_union') {
    const nearest = nearestBranch(issue.errors);
    if (nearest) return explain(part, nearest, path);
  }
  return `${fieldName(part, path)}: ${issue.message}`;
}

/** Of the issues of a union's branches, the deepest: that branch came closest to matching. */
function nearestBranch(branches: readonly (readonly Issue[])[]): Issue | null {
  const first = branches.flatMap((issues) => issues.slice(0, 1));
  const deepest = first.toSorted((a, b) => b.path.length - a.path.length)[0];
  return deepest !== undefined && deepest.path.length > 0 ? deepest : null;
}

/** `body.document.sections[0].text` */
function fieldName(part: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (name, key) => (typeof key === 'number' ? `${name}[${key}]` : `${name}.${String(key)}`),
    part,
  );
}
