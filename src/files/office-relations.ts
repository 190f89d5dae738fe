import { posix } from 'node:path';
import { readXml } from './read-xml.ts';
import type { ZipParts } from './unzip-parts.ts';

/** A reference from one part of an Office document to another in the same container. */
export interface OfficeRelation {
  id: string;
  /** The last segment of the relation's type: `slide`, `notesSlide`. */
  type: string;
  /** The path of the target part. */
  path: string;
}

/** The relations of a part (ECMA-376 part 2, section 6.5), or of the container (`''`); empty if it has none. */
export function readRelations(parts: ZipParts, path: string): OfficeRelation[] {
  const list = parts.get(posix.join(posix.dirname(path), '_rels', `${posix.basename(path)}.rels`));
  if (list === undefined) return [];
  const xml = readXml(list);
  return xml('Relationship')
    .toArray()
    .filter((element) => element.attribs['TargetMode'] !== 'External')
    .map(({ attribs }) => ({
      id: attribs['Id'] ?? '',
      type: attribs['Type']?.split('/').at(-1) ?? '',
      path: resolvePart(posix.dirname(path), attribs['Target'] ?? ''),
    }));
}

/** A target is relative to its part's folder; one with a leading slash is relative to the container. */
function resolvePart(folder: string, target: string): string {
  const path = target.startsWith('/') ? target : posix.join('/', folder, target);
  return posix.normalize(path).slice(1);
}

/** Title and author from the document's properties; empty if absent. */
export function readCoreProperties(parts: ZipParts): { title: string; author: string } {
  const core = parts.get('docProps/core.xml');
  if (core === undefined) return { title: '', author: '' };
  const xml = readXml(core);
  return {
    title: xml('dc\\:title').first().text().trim(),
    author: xml('dc\\:creator').first().text().trim(),
  };
}
