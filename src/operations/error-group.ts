import { type RawBuilder, sql } from 'kysely';

/**
 * A message without what differs from one failure to the next: addresses, quoted names, ids and numbers become `…`, so
 * that failures of one cause have one text. Only the beginning of long messages counts.
 */
export function errorGroup(message: RawBuilder<string>): RawBuilder<string> {
  return sql<string>`regexp_replace(regexp_replace(regexp_replace(regexp_replace(left(${message}, 300),
    '[a-z]+://[^[:space:]"'']+|[^[:space:]"''<>]+@[^[:space:]"''<>]+', '…', 'gi'),
    '"[^"]*"|''[^'']*''|«[^»]*»|„[^“”]*[“”]|“[^”]*”', '…', 'g'),
    '[[:alnum:]_-]*[0-9][[:alnum:]_.:-]*', '…', 'g'),
    '…([[:space:],;/.…-]*…)+', '…', 'g')`;
}
