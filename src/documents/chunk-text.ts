import { GiveUp } from '#src/platform/errors.ts';

import type { Span } from './block.ts';
import { countTokens, takeTokens } from './count-tokens.ts';
import { looksLikeHtml, visibleText } from './html-text.ts';
import { packBlocks } from './pack-blocks.ts';
import { sizeBlocks, type TokenLimits } from './size-blocks.ts';
import { maskTags, splitHtml } from './split-html.ts';
import { splitMarkdown } from './split-markdown.ts';

export const MAX_CHUNKS_PER_DOCUMENT = 20_000;
/** Chunks of 200–400 tokens give the best retrieval at an equal context budget; 800 and more do worse. */
const DEFAULT_LIMITS: TokenLimits = { targetTokens: 320, maxTokens: 400 };
/** Maximum share of a chunk's token limit for the title path, and likewise for the metadata. */
const CONTEXT_SHARE = 0.25;

export interface ChunkableDocument {
  title: string;
  sections: readonly { text: string; link: string | null }[];
  metadata: Readonly<Record<string, string | readonly string[]>>;
}

export interface Chunk {
  /** Position in the document, from 0. */
  ordinal: number;
  sectionIndex: number;
  /** UTF-16 offsets into the section's text: `text === section.text.slice(start, end)`. */
  start: number;
  end: number;
  text: string;
  /** Whether `text` is HTML; if so, display `visibleText(text)`. */
  isHtml: boolean;
  /** The headings above the start of the chunk, outermost first. */
  headings: string[];
  link: string | null;
  /** Estimated tokens of the visible text, without context. */
  tokenCount: number;
  /** The text to tokenize and embed: title and headings, a continued table's header row, visible text, metadata. */
  indexedText: string;
}

/**
 * Splits a document along its structure into chunks that never cross a section or overlap; together they contain all
 * text that is not blank. A document without text becomes one empty chunk, so that its title can be found.
 * Throws `GiveUp` above `MAX_CHUNKS_PER_DOCUMENT`. Runs in linear time.
 */
export function chunkDocument(
  document: ChunkableDocument,
  limits: TokenLimits = DEFAULT_LIMITS,
): Chunk[] {
  const contextTokens = Math.floor(limits.maxTokens * CONTEXT_SHARE);
  const suffix = metadataLines(document.metadata, contextTokens);
  const chunks: Chunk[] = [];
  for (const [sectionIndex, section] of document.sections.entries()) {
    const isHtml = looksLikeHtml(section.text);
    for (const blocks of splitSection(section.text, isHtml, limits)) {
      if (chunks.length === MAX_CHUNKS_PER_DOCUMENT) throw tooManyChunks(document);
      const first = blocks[0];
      const start = first?.start ?? 0;
      const end = blocks.at(-1)?.end ?? start;
      const headings = [...(first?.headings ?? [])];
      const show = ({ start: from, end: to }: Span) =>
        isHtml ? visibleText(section.text.slice(from, to)) : section.text.slice(from, to);
      const headerRow = first?.tableHeader ? show(first.tableHeader) : '';
      chunks.push({
        ordinal: chunks.length,
        sectionIndex,
        start,
        end,
        text: section.text.slice(start, end),
        isHtml,
        headings,
        link: section.link,
        tokenCount: blocks.reduce((sum, { tokens }) => sum + tokens, 0),
        indexedText: joinLines([
          titlePath(document.title, headings, contextTokens),
          cutToTokens(headerRow, contextTokens),
          show({ start, end }),
          suffix,
        ]),
      });
    }
  }
  return chunks.length > 0 ? chunks : titleChunk(document, suffix, contextTokens);
}

/** The text that a chunk is indexed by, made again from what its row has. */
export function indexedTextOf(
  { title, metadata }: Pick<ChunkableDocument, 'title' | 'metadata'>,
  headings: readonly string[],
  visible: string,
): string {
  const contextTokens = Math.floor(DEFAULT_LIMITS.maxTokens * CONTEXT_SHARE);
  return joinLines([
    titlePath(title, headings, contextTokens),
    visible,
    metadataLines(metadata, contextTokens),
  ]);
}

function splitSection(text: string, isHtml: boolean, limits: TokenLimits) {
  const visible = isHtml ? maskTags(text) : text;
  const blocks = isHtml ? splitHtml(text) : splitMarkdown(text);
  return packBlocks(sizeBlocks(visible, blocks, limits), limits);
}

function titleChunk(document: ChunkableDocument, suffix: string, contextTokens: number): Chunk[] {
  const title = titlePath(document.title, [], contextTokens);
  if (title === '') return [];
  return [
    {
      ordinal: 0,
      sectionIndex: 0,
      start: 0,
      end: 0,
      text: '',
      isHtml: false,
      headings: [],
      link: document.sections[0]?.link ?? null,
      tokenCount: 0,
      indexedText: joinLines([title, suffix]),
    },
  ];
}

/** `Title > Heading > Heading`, omitting a heading that repeats the title. */
function titlePath(title: string, headings: readonly string[], maxTokens: number): string {
  const steps = [title, ...headings].map((step) => step.trim()).filter((step) => step !== '');
  const distinct = steps.filter((step, index) => step !== steps[index - 1]);
  return cutToTokens(distinct.join(' > '), maxTokens);
}

function metadataLines(metadata: ChunkableDocument['metadata'], maxTokens: number): string {
  const lines = Object.entries(metadata).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? value : value.join(', ')}`,
  );
  return cutToTokens(lines.join('\n'), maxTokens);
}

function cutToTokens(text: string, maxTokens: number): string {
  // No character costs more than a token.
  if (text.length <= maxTokens) return text.trim();
  return text.slice(0, takeTokens(text, 0, text.length, maxTokens)).trim();
}

function joinLines(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}

function tooManyChunks(document: ChunkableDocument): GiveUp {
  const tokens = document.sections.reduce((sum, { text }) => sum + countTokens(text), 0);
  return new GiveUp(
    `The document has about ${tokens.toLocaleString('en')} tokens and makes more than ` +
      `${MAX_CHUNKS_PER_DOCUMENT.toLocaleString('en')} chunks; post it as several documents.`,
  );
}
