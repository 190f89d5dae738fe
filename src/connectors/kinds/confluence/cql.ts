import type { ConfluenceSettings } from './confluence-settings.ts';
import { queryWithoutOrder, quotedInQuery } from '#src/connectors/kinds/tracker/jql.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

type Scope = Pick<ConfluenceSettings, 'space' | 'pageId' | 'indexRecursively' | 'cql'>;

/**
 * The pages to index. Comments and attachments come with their pages.
 * https://developer.atlassian.com/cloud/confluence/cql-fields/
 */
export function baseCql({ space, pageId, indexRecursively, cql }: Scope): string {
  const clauses = ['type in (page, blogpost)'];
  const query = cql === null ? '' : queryWithoutOrder(cql);
  if (query !== '') clauses.push(`(${query})`);
  else if (pageId !== null && indexRecursively)
    clauses.push(`(id = ${pageId} or ancestor = ${pageId})`);
  else if (pageId !== null) clauses.push(`id = ${pageId}`);
  else if (space !== null) clauses.push(`space = ${quotedInQuery(space)}`);
  return clauses.join(' and ');
}

/** Oldest first: editing a page does not change its position in the list. */
export function inOrderOfCreation(...clauses: (string | null)[]): string {
  return `${clauses.filter((clause) => clause !== null).join(' and ')} order by created asc, title asc`;
}

/** Comments and attachments. Whether their pages are wanted is decided later. */
export function attachedCql({ space, pageId, cql }: Scope): string {
  const isSpace = cql === null && pageId === null && space !== null;
  return `type in (comment, attachment)${isSpace ? ` and space = ${quotedInQuery(space)}` : ''}`;
}

/**
 * CQL reads times in the account's own time zone, to the minute. If the zone is unknown, a margin of one day covers
 * all zones; if it is known, one hour covers daylight saving time.
 */
export function changedSinceCql(since: Date, timezoneOffsetHours: number | null): string {
  return `lastmodified >= "${cqlTime(since, timezoneOffsetHours)}"`;
}

export function createdSinceCql(since: Date, timezoneOffsetHours: number | null): string {
  return `created >= "${cqlTime(since, timezoneOffsetHours)}"`;
}

function cqlTime(time: Date, offsetHours: number | null): string {
  const shiftMs = offsetHours === null ? -DAY_MS : (offsetHours - 1) * HOUR_MS;
  const shifted = new Date(Math.max(0, time.getTime() + shiftMs));
  return shifted.toISOString().slice(0, 16).replace('T', ' ');
}
