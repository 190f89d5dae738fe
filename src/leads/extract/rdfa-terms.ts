/** Prefixes of the vocabularies that describe people and organisations. */
const KNOWN_VOCABULARIES = [
  /^https?:\/\/(?:www\.)?schema\.org\//i,
  /^https?:\/\/xmlns\.com\/foaf\/0\.1\//i,
  /^https?:\/\/www\.w3\.org\/2006\/vcard\/ns#/i,
  /^https?:\/\/(?:www\.)?data-vocabulary\.org\//i,
  /^https?:\/\/rdf\.data-vocabulary\.org\/#?/i,
];
/** From RDFa's initial context, and others that authors often forget to declare. */
export const INITIAL_PREFIXES: ReadonlyMap<string, string> = new Map([
  ['schema', 'http://schema.org/'],
  ['foaf', 'http://xmlns.com/foaf/0.1/'],
  ['vcard', 'http://www.w3.org/2006/vcard/ns#'],
  ['v', 'http://rdf.data-vocabulary.org/#'],
]);
const MAX_PREFIXES = 50;
const MAX_TOKENS = 20;

/** The meaning of names at one point of a page. */
export interface Vocabulary {
  /** Null when none is declared: names without a prefix then count as schema.org's. */
  vocab: string | null;
  prefixes: ReadonlyMap<string, string>;
}

/** The vocabulary inside an element: the same object when it declares nothing. */
export function declaredBy(attribs: Record<string, string>, outer: Vocabulary): Vocabulary {
  const vocab = attribs['vocab']?.trim();
  const pairs = [...declaredPrefixes(attribs)];
  if (vocab === undefined && pairs.length === 0) return outer;
  const prefixes =
    pairs.length === 0 || outer.prefixes.size > MAX_PREFIXES
      ? outer.prefixes
      : new Map([...outer.prefixes, ...pairs.slice(0, MAX_PREFIXES)]);
  if (vocab === undefined) return { vocab: outer.vocab, prefixes };
  return { vocab: vocab === '' ? null : vocab.replace(/([^/#])$/, '$1/'), prefixes };
}

function* declaredPrefixes(
  attribs: Record<string, string>,
): Generator<[name: string, start: string]> {
  const words = (attribs['prefix'] ?? '').slice(0, 4_000).split(/\s+/).filter(Boolean);
  for (let index = 0; index + 1 < words.length; index += 2) {
    yield [(words[index] ?? '').replace(/:$/, '').toLowerCase(), words[index + 1] ?? ''];
  }
  for (const name of Object.keys(attribs)) {
    if (name.startsWith('xmlns:')) yield [name.slice(6).toLowerCase(), attribs[name] ?? ''];
  }
}

/** The full names for a list of terms, limited to known vocabularies. */
export function resolveTerms(list: string | undefined, { vocab, prefixes }: Vocabulary): string[] {
  const words = (list ?? '').slice(0, 2_000).split(/\s+/).slice(0, MAX_TOKENS);
  return (
    words
      .map((word) => {
        const colon = word.indexOf(':');
        if (word === '' || word.startsWith('_:')) return '';
        if (colon === -1) return (vocab ?? 'http://schema.org/') + word;
        if (word.startsWith('//', colon + 1)) return word;
        const start = prefixes.get(word.slice(0, colon).toLowerCase());
        return start === undefined ? '' : start + word.slice(colon + 1);
      })
      .filter((name) => KNOWN_VOCABULARIES.some((known) => known.test(name)))
      // In FOAF a title is "Dr".
      .map((name) => name.replace(/(foaf\/0\.1\/)title$/i, '$1honorificPrefix'))
  );
}
