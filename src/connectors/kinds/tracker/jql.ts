/** The issues to index, without ORDER BY: the connector sets the order. */
export function baseJql(settings: {
  projectKey: string | null;
  jql: string | null;
}): string | null {
  if (settings.jql !== null) return queryWithoutOrder(settings.jql) || null;
  return settings.projectKey === null ? null : `project = ${quotedInQuery(settings.projectKey)}`;
}

/**
 * The query for changes at `fromMs` or later, oldest change first. Numbers are milliseconds since 1970, which no time
 * zone affects (Jira reads date strings in the account's time zone). Jira Cloud rejects an unrestricted query, hence
 * the clause about the year 1970.
 * https://support.atlassian.com/jira-software-cloud/docs/jql-fields/
 */
export function changedJql(base: string | null, fromMs: number | null): string {
  const clauses = base === null ? [] : [`(${base})`];
  if (fromMs !== null) clauses.push(`updated >= ${fromMs}`);
  if (clauses.length === 0) clauses.push('created >= "1970/01/01"');
  return `${clauses.join(' AND ')} ORDER BY updated ASC, key ASC`;
}

/** A query without its trailing `ORDER BY`; one inside quotes is text. */
export function queryWithoutOrder(query: string): string {
  const masked = query.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, (text) =>
    '_'.repeat(text.length),
  );
  const order = /(?:^|[\s)])order\s+by\s/i.exec(masked);
  if (!order) return query.trim();
  const at = order.index + (order[0].startsWith(')') ? 1 : 0);
  return query.slice(0, at).trim();
}

export function quotedInQuery(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
