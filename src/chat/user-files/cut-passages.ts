import { setImmediate as breathe } from 'node:timers/promises';
import { termId, workspaceSalt } from '#src/documents/bm25.ts';
import type { IndexThreads } from '#src/documents/index-threads.ts';
import { tokenize } from '#src/documents/tokenize.ts';
import type { ParsedSection } from '#src/files/parsed-file.ts';
import type { WorkspaceId } from '#src/ids.ts';
import { GiveUp } from '#src/platform/errors.ts';

/** A searchable part of a file's text. */
export interface Passage {
  ordinal: number;
  text: string;
  /** Including repetitions. */
  terms: number[];
}

/** Tokenizing this many takes a few milliseconds; then other tasks run. */
const PASSAGES_AT_A_TIME = 16;

/**
 * Cuts the text like documents, off the main thread.
 * @throws GiveUp when it has more passages than a document may have, or looks like binary data
 */
export async function cutPassages(
  threads: IndexThreads,
  file: { workspace_id: WorkspaceId; name: string },
  sections: readonly ParsedSection[],
  signal: AbortSignal,
): Promise<Passage[]> {
  const document = {
    workspaceId: file.workspace_id,
    title: file.name,
    sectionsJson: JSON.stringify(sections),
    metadata: {},
    dimensions: null,
  };
  const [prepared] = await threads.prepare([document], signal);
  if (!prepared || 'failure' in prepared) throw new GiveUp(prepared?.failure ?? 'Not prepared.');
  const salt = workspaceSalt(file.workspace_id);
  const passages: Passage[] = [];
  for (const { ordinal, text, indexedText } of prepared.chunks) {
    if (ordinal % PASSAGES_AT_A_TIME === 0) await breathe(undefined, { signal });
    const terms = tokenize(indexedText).map((term) => termId(term, salt));
    passages.push({ ordinal, text, terms });
  }
  return passages;
}
