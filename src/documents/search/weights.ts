/*
 * Every number that decides the order of results. They were chosen on eight test collections, each judged with the
 * others' choice (docs/search-design.md); all are flat around their maximum.
 */

/** Of the words that are searched for besides those of the query, in shares of what a word of the query counts. */
export const WORD_WEIGHTS = {
  /** A synonym that the workspace named: the words of a phrase share it. */
  synonym: 0.8,
  /** A compound that has a word of the query as a part: it is about something narrower (find-compounds.ts). */
  compound: 0.6,
  /** The word that a misspelt one probably meant, where the query has other words that are known. */
  correction: 0.9,
  /** Such a word counts for no more than this share of the rarest known word: a guess never outweighs what was typed. */
  correctionOfBest: 0.8,
  /** A misspelt word in the vector of the query: rare, but it must not outweigh every real word. */
  unknown: 0.6,
};

/** How two lists of ranks are joined when one is too short for its scores to be compared (fuse-scores.ts). */
export const RANK_WEIGHTS = {
  /** Cormack, Clarke & Büttcher 2009: the constant that flattens the top of reciprocal ranks. */
  k: 60,
  lexical: 1,
  dense: 0.5,
};

/** What the text of a chunk adds, in the unit of BM25 scores. */
export const TEXT_WEIGHTS = {
  /** Occurrences that a word of the title counts for beside its own (title-gain.ts). */
  titleCount: 2,
  /** For a chunk that has all words of the query near each other (proximity.ts). */
  nearby: 1,
  /** For neighbours of the query that stand together, per pair. */
  together: 0.1,
};

/** In words: what is near, and what stands together, with one word between at most. */
export const DISTANCES = { near: 8, together: 2 };

/** Likeness (smooth-scores.ts). */
export const LIKENESS = {
  /** Share of a score that comes from the chunks that resemble it most. */
  share: 0.3,
  neighbours: 5,
};

/** The latent space (latent-scores.ts), where the workspace has a basis. */
export const LATENT = {
  /** Of the words' share of a score. */
  share: 0.375,
  /** Best chunks that say, as much as the query does, what is meant. */
  feedback: 5,
  /** A query of more terms says by itself what it means: the share falls with their number. */
  fewTerms: 3,
};

/** How fast a document loses by age, in shares a year, and what is left of the oldest (score-factors.ts). */
export const DECAY = {
  no_decay: { perYear: 0, floor: 1 },
  // Mild: it decides between documents that fit about as well, and never hides a better one.
  base_decay: { perYear: 0.5, floor: 0.9 },
  favor_recent: { perYear: 2, floor: 0.5 },
};

/** Boosts grow slowly: three times this one is nearly all. */
export const BOOST_SCALE = 3;
