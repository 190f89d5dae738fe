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

/** A source type as clients under `/api` accept it: one that they do not know breaks the whole reply. */
export function platformSource(source: string): string {
  const name = source.toLowerCase();
  // What nobody else knows came by ingestion.
  return NAMES.get(name) ?? (KNOWN.has(name) ? name : 'ingestion_api');
}

/** Sources that are shown there under this name, besides the one that has it. */
export function shownAs(name: string): string[] {
  return [...NAMES].flatMap(([source, shown]) => (shown === name.toLowerCase() ? [source] : []));
}

/** JSON for clients under `/api`; only what is found has a source type, metadata stay as they are. */
export function toPlatformJson(value: unknown): string {
  return JSON.stringify(value, function withKnownSource(this: unknown, key, part: unknown) {
    const isSource = key === 'source_type' && typeof part === 'string' && isFound(this);
    return isSource ? platformSource(part) : part;
  });
}

function isFound(holder: unknown): boolean {
  return (
    typeof holder === 'object' &&
    holder !== null &&
    (('document_id' in holder && 'semantic_identifier' in holder) || 'citation_id' in holder)
  );
}
