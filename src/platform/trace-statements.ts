import type { Logger as LogStatement } from 'kysely';
import { failureType, type SpanAttributes, type Tracing } from './tracing.ts';

const MAX_TEXT_LENGTH = 1_000;
const VERB = /^\s*([a-z]+)/i;
/** What a statement that begins with common table expressions does at its end, or first. */
const VERB_INSIDE = /\b(insert|update|delete|select)\b/i;
const TABLE = /\b(?:from|into|update|join|copy)\s+"?([a-z_][a-z0-9_]*)"?/i;

/**
 * Adds a span for each statement of a request or job, with its text. The text has no values in it: those are
 * parameters, which are never recorded. Null while nothing is traced, so that Kysely measures nothing.
 */
export function traceStatements(tracing: Tracing, server: SpanAttributes): LogStatement | null {
  if (!tracing.isOn) return null;
  return (event) => {
    const { sql } = event.query;
    const { verb, summary } = summarize(sql);
    tracing.record(summary, {
      kind: 'client',
      attributes: {
        'db.system.name': 'postgresql',
        ...server,
        'db.operation.name': verb,
        'db.query.summary': summary,
        'db.query.text': sql.length > MAX_TEXT_LENGTH ? `${sql.slice(0, MAX_TEXT_LENGTH)}…` : sql,
        ...(event.level === 'error' && { 'db.response.status_code': failureType(event.error) }),
      },
      durationMs: event.queryDurationMillis,
      failure: event.level === 'error' ? failureType(event.error) : null,
    });
  };
}

/**
 * The verb and the first table, such as `INSERT document`.
 * https://opentelemetry.io/docs/specs/semconv/db/database-spans/#name
 */
export function summarize(statement: string): { verb: string; summary: string } {
  const first = VERB.exec(statement)?.[1]?.toUpperCase() ?? 'STATEMENT';
  const verb =
    first === 'WITH' ? (VERB_INSIDE.exec(statement)?.[1]?.toUpperCase() ?? first) : first;
  const table = TABLE.exec(statement)?.[1];
  return { verb, summary: table === undefined ? verb : `${verb} ${table}` };
}

/** Where statements go. */
export function serverAttributes(databaseUrl: string | null): SpanAttributes {
  const url = databaseUrl === null ? null : URL.parse(databaseUrl);
  if (url === null) return {};
  return {
    'server.address': url.hostname,
    'server.port': Number(url.port === '' ? '5432' : url.port),
    'db.namespace': decodeURIComponent(url.pathname.slice(1)),
  };
}
