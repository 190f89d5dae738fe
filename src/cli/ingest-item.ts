import { z } from 'zod';
import type { ParsedFile } from '#src/files/parsed-file.ts';

/** A document to be sent to the service. */
export interface IngestItem {
  /** How failure messages name it: a path, or a line of the input. */
  label: string;
  /** The request body: `{document, cc_pair_id?}`. */
  wire: { document: Record<string, unknown>; cc_pair_id?: number };
  /** Approximate size that it adds to a request. */
  bytes: number;
  /** For the state file; null for input that is not from a file. */
  file: { id: string; bytes: number; mtimeMs: number } | null;
}

/** Settings that `ingest` applies to every document. */
export interface ItemSettings {
  idPrefix: string;
  linkPrefix: string | null;
  source: string;
  ccPairId: number | null;
}

/** JSON around the text of a document: field names, ids, links. */
const OVERHEAD_BYTES = 500;

/** Builds the document of a parsed file; its id is the prefix and the path, so that a repeated run updates it. */
export function itemOfFile(
  parsed: ParsedFile,
  file: { relativePath: string; bytes: number; mtimeMs: number },
  settings: ItemSettings,
): IngestItem {
  const id = settings.idPrefix + file.relativePath;
  const document = {
    ...toDocument(parsed, id, linkOf(file.relativePath, settings), settings),
    doc_updated_at: new Date(file.mtimeMs).toISOString(),
  };
  return {
    ...withPair(document, settings, parsed),
    label: file.relativePath,
    file: { id, bytes: file.bytes, mtimeMs: file.mtimeMs },
  };
}

/** Builds the document of text that came through a pipe. */
export function itemOfText(parsed: ParsedFile, title: string, settings: ItemSettings): IngestItem {
  const document = toDocument({ ...parsed, title }, settings.idPrefix + title, null, settings);
  return { ...withPair(document, settings, parsed), label: title, file: null };
}

const jsonLine = z.looseObject({
  document: z.record(z.string(), z.unknown()),
  cc_pair_id: z.int().nullish(),
});

/** Reads a line `{"document": {…}, "cc_pair_id": 1}`; null for anything else. */
export function itemOfJsonLine(
  line: string,
  label: string,
  settings: ItemSettings,
): IngestItem | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const parsed = jsonLine.safeParse(value);
  if (!parsed.success) return null;
  const { document, cc_pair_id } = parsed.data;
  const pair = cc_pair_id ?? settings.ccPairId;
  return {
    label,
    wire: { document, ...(pair === null ? {} : { cc_pair_id: pair }) },
    bytes: line.length,
    file: null,
  };
}

function toDocument(
  { title, sections, metadata }: ParsedFile,
  id: string,
  link: string | null,
  { source }: ItemSettings,
): Record<string, unknown> {
  return {
    id,
    semantic_identifier: title,
    sections: sections.map((section) =>
      link === null
        ? { text: section.text }
        : { text: section.text, link: link + (section.link ?? '') },
    ),
    source,
    metadata,
    from_ingestion_api: true,
  };
}

function withPair(
  document: Record<string, unknown>,
  { ccPairId }: ItemSettings,
  { sections }: ParsedFile,
): Pick<IngestItem, 'wire' | 'bytes'> {
  const bytes = sections.reduce((sum, section) => sum + section.text.length + 100, OVERHEAD_BYTES);
  return { wire: ccPairId === null ? { document } : { document, cc_pair_id: ccPairId }, bytes };
}

function linkOf(relativePath: string, { linkPrefix }: ItemSettings): string | null {
  if (linkPrefix === null) return null;
  return linkPrefix + relativePath.split('/').map(encodeURIComponent).join('/');
}
