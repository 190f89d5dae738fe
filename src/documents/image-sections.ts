import type { UserId, WorkspaceId } from '#src/ids.ts';
import { RetryLater } from '#src/platform/errors.ts';
import type { StoredSection } from '#src/tables/documents.ts';
import type { ClaimedDocument } from './claim-documents.ts';

/** An image of the workspace; if `userId` is set, one that this user uploaded. */
export interface NamedImage {
  workspaceId: WorkspaceId;
  userId: UserId | null;
  fileId: string;
}

/**
 * Describes a stored image in words; null if there is no such image, or no model that can describe it.
 * @throws RetryLater while that model is unavailable
 */
export type DescribeImage = (image: NamedImage, signal: AbortSignal) => Promise<string | null>;

/**
 * In the JSON of sections, only where one has an image: sections are stored as serialized, without spaces, and with a
 * backslash before any quote inside a text.
 */
export const IMAGE_MARK = '"image_file_id":"';
/** Images described per document; the rest get no description. */
const MAX_IMAGES = 100;

export interface ResolvedImages {
  ready: ClaimedDocument[];
  /** Documents with images that could not be described yet. */
  later: { document: ClaimedDocument; reason: string }[];
}

/** Appends its description to the text of each section that has an image. */
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
  if (!document.sections_json.includes(IMAGE_MARK)) return { ready: document };
  const stored = JSON.parse(document.sections_json) as StoredSection[]; // as Millrace stored it
  const images = new Map(stored.flatMap(imageOf));
  const descriptions = new Map<string, string>();
  try {
    // One at a time; across documents, `describe` limits concurrency itself.
    for (const [fileId, userId] of [...images].slice(0, MAX_IMAGES)) {
      const image = { workspaceId: document.workspace_id, userId, fileId };
      const description = await describe(image, signal);
      if (description !== null) descriptions.set(fileId, description);
    }
  } catch (error) {
    if (!(error instanceof RetryLater) || signal.aborted) throw error;
    return { document, later: error.message };
  }
  const sections = stored.map((section) => withDescription(section, descriptions));
  return { ready: { ...document, sections_json: JSON.stringify(sections) } };
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
