import type { WorkspaceId } from '#src/ids.ts';
import { termId, workspaceSalt } from '#src/documents/bm25.ts';
import { visibleText } from '#src/documents/html-text.ts';
import { tokenize } from '#src/documents/tokenize.ts';
import type { Database } from '#src/platform/database.ts';
import type { ArrangedDocument } from './arrange-documents.ts';
import type { Candidate, FoundCandidates } from './find-candidates.ts';
import type { ScoreParts } from './rerank-candidates.ts';
import { readTermScores } from './read-term-scores.ts';
import type { SearchHit } from './search-hit.ts';
import type { TermOrigin } from './term-origins.ts';

/** A half of the search that found the passage. */
interface HalfScore {
  /** BM25, or the cosine. */
  score: number;
  /** From 1, among the passages that this half found. */
  rank: number;
}

/** A word that was searched for and that the passage has. */
interface ExplainedTerm extends TermOrigin {
  /** As the index holds it. */
  term: string;
  /** What it gives to the score by words. */
  score: number;
}

/** Why a hit stands where it stands: its score is `relevance · recency · boost · scale`. */
export interface HitExplanation {
  /** Null: this half did not find the passage. */
  lexical: HalfScore | null;
  dense: HalfScore | null;
  /** Of both halves together, before age and boost: the sum of the parts. */
  relevance: number;
  parts: ScoreParts;
  /** Factors of the score. */
  recency: number;
  boost: number;
  scale: number;
  /** Those that give most first; together they give the score by words. */
  terms: ExplainedTerm[];
  /** The words of the query, as the index holds them, that are in the passage or the title, and those that are not. */
  matched: string[];
  missing: string[];
  /** Near-copies that the hit stands for, and the scores that they would have had. */
  copies: { document_id: string; score: number }[];
}

interface Found {
  hit: SearchHit;
  chunk: ArrangedDocument;
}

/** One explanation for each hit of a page, in order. */
export async function explainHits(
  db: Database,
  workspaceId: WorkspaceId,
  page: readonly Found[],
  found: FoundCandidates,
): Promise<HitExplanation[]> {
  const salt = workspaceSalt(workspaceId);
  const chunkIds = page.map(({ chunk }) => chunk.chunkId);
  const scores = await readTermScores(db, found, chunkIds);
  const { candidates, origins } = found;
  return page.map(({ hit, chunk }) => {
    const { relevance, parts, recency, boost, scale, copies } = chunk;
    const own = scores.get(chunk.chunkId);
    const terms = Array.from(origins, ([term, origin]) => {
      const score = own?.get(termId(term, salt));
      return score === undefined ? [] : [{ term, ...origin, score }];
    }).flat();
    return {
      lexical: halfScore('lexical', chunk.chunkId, candidates),
      dense: halfScore('dense', chunk.chunkId, candidates),
      relevance,
      parts,
      recency,
      boost,
      scale,
      terms: terms.sort((a, b) => b.score - a.score),
      ...wordsIn(hit, origins),
      copies: copies.documentIds.map((id, at) => ({
        document_id: id,
        score: copies.scores[at] ?? 0,
      })),
    };
  });
}

function wordsIn(hit: SearchHit, origins: ReadonlyMap<string, TermOrigin>) {
  const text = hit.is_html ? visibleText(hit.text) : hit.text;
  const held = new Set(tokenize([hit.semantic_identifier, ...hit.headings, text].join('\n')));
  // Nobody asked for what the words of the workspace added, and some of it only others may see.
  const asked = Array.from(origins)
    .filter(([, { kind }]) => kind !== 'compound' && kind !== 'synonym_form')
    .map(([term]) => term);
  return {
    matched: [...origins.keys()].filter((term) => held.has(term)),
    missing: asked.filter((term) => !held.has(term)),
  };
}

function halfScore(
  half: 'lexical' | 'dense',
  chunkId: number,
  candidates: readonly Candidate[],
): HalfScore | null {
  const score = candidates.find((one) => one.chunkId === chunkId)?.[half] ?? null;
  if (score === null) return null;
  const better = candidates.filter((one) => (one[half] ?? -Infinity) > score);
  return { score, rank: better.length + 1 };
}
