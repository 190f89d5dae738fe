import { stemWord } from '#src/documents/expand-word.ts';
import { DOCUMENT_STEMS, impliedWords } from './document-words.ts';
import { NEAR_STEMS, SAME_WORD_STEMS } from './everyday-words.ts';
import { type AskedTerm, readQuestion } from './read-question.ts';

/** How fast each of many stems loses: together they still count for more than one. */
const SPREAD = 0.5;
/** What the stems of one word of the question count together, beside it. */
const SHARE = { same: 0.9, near: 0.7, said: 0.5, implied: 0.35 };

/** Stems by which an answer is looked for besides the words of the question → how much each counts. */
export function paraphraseQuestion(question: string, before: string | null): Map<string, number> {
  const { terms, isEnglish } = readQuestion(question, before);
  const found = new Map<string, number>();
  if (!isEnglish) return found;
  const add = (stems: Iterable<string>, share: number): void => {
    const all = [...stems].map(withoutMark);
    for (const stem of all) {
      const own = share / all.length ** SPREAD;
      found.set(stem, Math.max(own, found.get(stem) ?? 0));
    }
  };
  for (const term of terms) {
    if (term.isName || term.isAsking) continue;
    add(SAME_WORD_STEMS.get(term.stem) ?? [], SHARE.same);
    add(nearOf(term), SHARE.near);
    add(DOCUMENT_STEMS.get(term.stem) ?? [], SHARE.said);
  }
  add(impliedWords(question).map(stemWord), SHARE.implied);
  return found;
}

function nearOf(term: AskedTerm): Set<string> {
  return new Set([...term.phrasal, ...term.joined, ...(NEAR_STEMS.get(term.stem) ?? [])]);
}

/** The mark by which `founded` is told from the past of "find": the index has none. */
function withoutMark(stem: string): string {
  return stem.replace(/'$/, '');
}
