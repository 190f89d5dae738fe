import { type RawBuilder, sql } from 'kysely';

/** Whose data to erase. In lower case. */
export interface ErasureSubjects {
  emails: readonly string[];
  /** Includes their subdomains and the addresses at them. */
  domains: readonly string[];
}

/** Whether a host is one of the domains or a subdomain of one; compares as many names as the host has labels. */
export function isWithin(
  host: RawBuilder<unknown>,
  domains: readonly string[],
): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select 1 from (select string_to_array(${host}, '.') as labels) split,
      generate_series(1, cardinality(split.labels)) as first
    where array_to_string(split.labels[first:], '.') = any(${[...domains]}::text[]))`;
}

/** The part after the last `@` of an address. */
export function hostOf(email: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`substring(${email} from '[^@]*$')`;
}
