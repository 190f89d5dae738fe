/** Source types that strict clients of the platform family know, in each of its versions. */
const KNOWN: ReadonlySet<string> = new Set(
  `ingestion_api slack web google_drive gmail github gitbook gitlab guru bookstack outline confluence jira slab
  productboard file coda notion zulip linear hubspot document360 gong google_sites zendesk loopio dropbox sharepoint teams
  salesforce discourse axero clickup mediawiki wikipedia asana s3 r2 google_cloud_storage oci_storage xenforo
  not_applicable discord freshdesk fireflies egnyte airtable highspot drupal_wiki imap bitbucket testrail mock_connector
  user_file`.split(/\s+/),
);
/** Ours that have another name there. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['tracker', 'jira'],
  ['wiki', 'confluence'],
  ['rss', 'web'],
  ['atom', 'web'],
]);
/** Members that hold what others have written; a `source` in there is theirs. */
const FREE: ReadonlySet<string> = new Set([
  'metadata',
  'connector_specific_config',
  'credential_json',
  'tool_arguments',
]);
/** Beside these a `source` is a source type: connectors, credentials, pairs, documents, tags. */
const BESIDE_SOURCE = [
  ['connector_specific_config'],
  ['credential_json'],
  ['access_type', 'name'],
  ['document_id', 'indexed_revision'],
  ['tag_key', 'tag_value'],
  ['indexing_statuses', 'summary'],
  ['has_successful_run'],
];
/** And beside these a `source_type`. */
const BESIDE_SOURCE_TYPE = [['document_id', 'semantic_identifier'], ['citation_id']];

/** A source type as clients under `/api` accept it: one that they do not know breaks the whole reply. */
export function platformSource(source: string): string {
  const name = source.toLowerCase();
  // What nobody else knows came by ingestion.
  return NAMES.get(name) ?? (KNOWN.has(name) ? name : 'ingestion_api');
}

/** The name of a source for whoever asks: ours, or under `/api` the one that clients there accept. */
export function sourceFor(framing: 'sse' | 'lines', source: string): string {
  return framing === 'lines' ? platformSource(source) : source;
}

/** Sources that are shown there under this name, besides the one that has it. */
export function shownAs(name: string): string[] {
  return [...NAMES].flatMap(([source, shown]) => (shown === name.toLowerCase() ? [source] : []));
}

/** JSON for clients under `/api`: every source type is one that they accept; what others have written stays as it is. */
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
