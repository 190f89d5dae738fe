import type { UserId, WorkspaceId } from '#src/ids.ts';
import { RetryLater } from '#src/platform/errors.ts';
import type { StoredSection } from '#src/tables/documents.ts';
import type { ClaimedDocument } from './claim-documents.ts';

/** An image of the workspace; with a `userId`, one that this user has uploaded. */
export interface NamedImage {
  workspaceId: WorkspaceId;
  userId: UserId | null;
  fileId: string;
}

/**
 * What a stored image shows, in words; null when there is no such image, or nobody who could tell.
 * @throws RetryLater when whoever could tell is away
 */
export type DescribeImage = (image: NamedImage, signal: AbortSignal) => Promise<string | null>;

/** Of one document; the images after them are left without words. */
const MAX_IMAGES = 100;

export interface ResolvedImages {
  ready: ClaimedDocument[];
  /** Images of these could not be described now. */
  later: { document: ClaimedDocument; reason: string }[];
}

/** Gives the sections that show an image its description as text, after the text that they have. */
export async function resolveImages(
  documents: readonly ClaimedDocument[],
  describe: DescribeImage,
  signal: AbortSignal,
): Promise<ResolvedImages> {
  const resolved = await Promise.all(
    documents.map((document) => resolveDocument(document, describe, signal)),
  );
  return {
    ready: resolved.flatMap((one) => ('ready' in one ? one.ready : [])),
    later: resolved.flatMap((one) =>
      'later' in one ? { document: one.document, reason: one.later } : [],
    ),
  };
}

async function resolveDocument(
  document: ClaimedDocument,
  describe: DescribeImage,
  signal: AbortSignal,
): Promise<{ ready: ClaimedDocument } | { document: ClaimedDocument; later: string }> {
  const images = new Map(document.sections.flatMap(imageOf));
  if (images.size === 0) return { ready: document };
  const descriptions = new Map<string, string>();
  try {
    // One after the other: `describe` bounds how many of all documents are at it.
    for (const [fileId, userId] of [...images].slice(0, MAX_IMAGES)) {
      const image = { workspaceId: document.workspace_id, userId, fileId };
      const description = await describe(image, signal);
      if (description !== null) descriptions.set(fileId, description);
    }
  } catch (error) {
    if (!(error instanceof RetryLater) || signal.aborted) throw error;
    return { document, later: error.message };
  }
  const sections = document.sections.map((section) => withDescription(section, descriptions));
  return { ready: { ...document, sections } };
}

/** All sections of a document have the same writer. */
function imageOf({
  image_file_id: fileId,
  image_user_id: userId,
}: StoredSection): [fileId: string, userId: UserId | null][] {
  return fileId ? [[fileId, userId ?? null]] : [];
}

function withDescription(
  section: StoredSection,
  descriptions: ReadonlyMap<string, string>,
): StoredSection {
  const description = descriptions.get(section.image_file_id ?? '');
  if (description === undefined) return section;
  const text = section.text.trim() === '' ? description : `${section.text}\n\n${description}`;
  return { ...section, text };
}
