/** Source types that strict clients know in every version of the platform family. */
const KNOWN: ReadonlySet<string> = new Set(
  `ingestion_api slack web google_drive gmail github gitbook gitlab guru bookstack outline confluence jira slab
  productboard file coda notion zulip linear hubspot document360 gong google_sites zendesk loopio dropbox sharepoint teams
  salesforce discourse axero clickup mediawiki wikipedia asana s3 r2 google_cloud_storage oci_storage xenforo
  not_applicable discord freshdesk fireflies egnyte airtable highspot drupal_wiki imap bitbucket testrail mock_connector
  user_file`.split(/\s+/),
);
/** Our source types that have another name there. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['tracker', 'jira'],
  ['wiki', 'confluence'],
  ['rss', 'web'],
  ['atom', 'web'],
]);
/** Members with free content, in which a `source` is left alone. */
const FREE: ReadonlySet<string> = new Set([
  'metadata',
  'connector_specific_config',
  'credential_json',
  'tool_arguments',
]);
/** Next to these members, `source` is a source type: connectors, credentials, pairs, documents, tags. */
const BESIDE_SOURCE = [
  ['connector_specific_config'],
  ['credential_json'],
  ['access_type', 'name'],
  ['document_id', 'indexed_revision'],
  ['tag_key', 'tag_value'],
  ['indexing_statuses', 'summary'],
  ['has_successful_run'],
];
/** Next to these members, `source_type` is one. */
const BESIDE_SOURCE_TYPE = [['document_id', 'semantic_identifier'], ['citation_id']];

/** Maps a source type to one that clients under `/api` accept: an unknown one makes them reject the whole reply. */
export function platformSource(source: string): string {
  const name = source.toLowerCase();
  // Sources unknown there are shown as ingested.
  return NAMES.get(name) ?? (KNOWN.has(name) ? name : 'ingestion_api');
}

/** The name of a source for a client: our own, or under `/api` one that clients there accept. */
export function sourceFor(framing: 'sse' | 'lines', source: string): string {
  return framing === 'lines' ? platformSource(source) : source;
}

/** Other sources that are shown under this name there. */
export function shownAs(name: string): string[] {
  return [...NAMES].flatMap(([source, shown]) => (shown === name.toLowerCase() ? [source] : []));
}

/** JSON for clients under `/api`: maps every source type to one that they accept, and leaves free content alone. */
export function toPlatformJson(value: unknown): string {
  const free = new WeakSet<object>();
  return JSON.stringify(value, function withKnownSource(this: object, key, part: unknown) {
    if (free.has(this) || FREE.has(key)) {
      if (typeof part === 'object' && part !== null) free.add(part);
      return part;
    }
    return typeof part === 'string' && isSource(this, key) ? platformSource(part) : part;
  });
}

function isSource(holder: object, key: string): boolean {
  if (key !== 'source' && key !== 'source_type') return false;
  const beside = key === 'source' ? BESIDE_SOURCE : BESIDE_SOURCE_TYPE;
  return beside.some((members) => members.every((member) => member in holder));
}
