import { MAX_OWNER_FIELD, MAX_OWNERS } from '#src/documents/incoming-document.ts';
import { cutMetadata, METADATA_LIMITS, metadataExcess } from '#src/documents/metadata-limits.ts';
import type { StoredOwner } from '#src/tables/documents.ts';
import type { ConnectorDocument } from '#src/connectors/source/connector.ts';

/** Counted per run; the text is the same for every document. */
export const METADATA_CUT = `metadata beyond ${METADATA_LIMITS.keys.toLocaleString('en')} keys or 256 KB was cut`;
export const OWNERS_CUT = `owners beyond ${MAX_OWNERS} were left out`;

/**
 * Cuts a document to the limits of ingestion. The content at the source is not ours to fix, so excess metadata
 * and owners are left out, and the text is still found.
 * @returns the document with notes about what was cut
 */
export function boundDocument(document: ConnectorDocument): {
  document: ConnectorDocument;
  notes: string[];
} {
  const { metadata, primaryOwners, secondaryOwners } = document;
  const isTooLarge = metadataExcess(metadata) !== null;
  const hasTooMany = [primaryOwners, secondaryOwners].some(({ length }) => length > MAX_OWNERS);
  return {
    document: {
      ...document,
      metadata: isTooLarge ? cutMetadata(metadata) : metadata,
      primaryOwners: boundOwners(primaryOwners),
      secondaryOwners: boundOwners(secondaryOwners),
    },
    notes: [...(isTooLarge ? [METADATA_CUT] : []), ...(hasTooMany ? [OWNERS_CUT] : [])],
  };
}

function boundOwners(owners: StoredOwner[]): StoredOwner[] {
  return owners.slice(0, MAX_OWNERS).map((owner) => ({
    display_name: boundField(owner.display_name),
    first_name: boundField(owner.first_name),
    middle_initial: boundField(owner.middle_initial),
    last_name: boundField(owner.last_name),
    email: boundField(owner.email),
  }));
}

function boundField(field: string | null | undefined): string | null | undefined {
  return field?.slice(0, MAX_OWNER_FIELD);
}
