import { wordsOfName } from './person-name.ts';
import { PARTICLES } from './name-words.ts';

/** Non-decomposable letters, as people write them in addresses. */
const LATIN: Readonly<Record<string, string>> = {
  ß: 'ss', æ: 'ae', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', œ: 'oe', ı: 'i',
  а: 'a', б: 'b', в: 'v', г: 'g', ґ: 'g', д: 'd', е: 'e', ё: 'e', є: 'ye', ж: 'zh', з: 'z', и: 'i', і: 'i', ї: 'yi',
  й: 'y', к: 'k', л: 'l', м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh', ц: 'ts',
  ч: 'ch', ш: 'sh', щ: 'shch', ъ: '', ы: 'y', ь: '', э: 'e', ю: 'yu', я: 'ya',
  α: 'a', β: 'v', γ: 'g', δ: 'd', ε: 'e', ζ: 'z', η: 'i', θ: 'th', ι: 'i', κ: 'k', λ: 'l', μ: 'm', ν: 'n', ξ: 'x',
  ο: 'o', π: 'p', ρ: 'r', σ: 's', ς: 's', τ: 't', υ: 'y', φ: 'f', χ: 'ch', ψ: 'ps', ω: 'o',
}; // prettier-ignore
const GERMAN: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' };
/** The two most frequent variants in transliterating Cyrillic. */
const OTHER_WAYS: readonly (readonly [RegExp, string])[] = [
  [/kh/g, 'h'],
  [/y(?=[uae])/g, 'j'],
  [/yu/g, 'iu'],
  [/ya/g, 'ia'],
  [/iy$/g, 'y'],
  [/y$/g, 'iy'],
  [/y/g, 'i'],
  [/ts/g, 'c'],
];
const MAX_FORMS = 6;
const SHORTEST_PART = 3;

/**
 * Whether the local part of an address matches a name: jane.doe@, doe.jane@, jdoe@, j.doe@, janed@, jane@, doe@, with
 * umlauts written out or not and Cyrillic names in Latin letters. Names in Chinese, Japanese or Korean never match.
 */
export function nameMatchesAddress(name: string, email: string): boolean {
  return nameMatchesHandle(name, localPartOf(email));
}

/** Without the part after a plus sign. */
export function localPartOf(email: string): string {
  return email.slice(0, email.lastIndexOf('@')).split('+')[0] ?? '';
}

/** The same for the last part of a profile URL: linkedin.com/in/jane-doe-1a2b3c, x.com/janedoe. */
export function nameMatchesHandle(name: string, handle: string): boolean {
  const wanted = handleForms(handle);
  if (wanted.length === 0) return false;
  return addressForms(name).some((form) => wanted.includes(form)) || hasWholeName(name, handle);
}

/** `jane.doe.ceramics`, `jane.k.doe`: the first name and the surname among several parts. */
export function hasWholeName(name: string, handle: string): boolean {
  const parts = handle.toLowerCase().split(/[._-]+/);
  if (parts.length < 3) return false;
  const core = wordsOfName(name)
    .map((word) => word.toLowerCase())
    .filter((word) => !PARTICLES.has(word));
  const isThere = (word: string | undefined): boolean =>
    word !== undefined &&
    word.length >= SHORTEST_PART &&
    spellings(word).some((form) => parts.includes(form));
  return core.length >= 2 && isThere(core[0]) && isThere(core.at(-1));
}

/** The possible readings of a local part or handle, to be looked up among `addressForms`. */
export function handleForms(handle: string): string[] {
  const parts = handle
    .toLowerCase()
    .split(/[._-]+/)
    .filter((part) => part !== '');
  const written = spellings(parts.join(''));
  const wanted = new Set(written.flatMap((form) => [form, form.replace(/\d+$/, '')]));
  // LinkedIn adds a random suffix to a name that is taken.
  if (parts.length > 2 && /\d/.test(parts.at(-1) ?? '')) {
    for (const form of spellings(parts.slice(0, -1).join(''))) wanted.add(form);
  }
  return [...wanted].filter((form) => form.length >= 2);
}

/** The possible local parts for a name, without dots and hyphens. */
export function addressForms(name: string): string[] {
  const words = wordsOfName(name).map((word) => word.toLowerCase());
  const core = words.filter((word) => !PARTICLES.has(word) && word.replace(/\P{L}/gu, '') !== '');
  const [first] = core;
  const last = core.at(-1);
  if (first === undefined || last === undefined || core.length < 2) return [];
  const from = words.indexOf(first) + 1;
  const given = partsOf([first, ...core.slice(1, -1)], [core.slice(0, -1).join('')]);
  const family = partsOf(
    [last, ...core.slice(2, -1)],
    [words.slice(from).join(''), core.slice(1).join('')],
  );
  // "van der Berg" is also written vanderberg.
  const particles = words.slice(from).filter((word) => PARTICLES.has(word));
  if (particles.length > 0) family.push(...spellings(particles.join('') + last));
  const forms: string[] = [...given, ...family];
  for (const one of new Set(given)) {
    for (const other of new Set(family)) {
      const [a, b] = [initialOf(one), initialOf(other)];
      forms.push(one + other, other + one, a + other, b + one, one + b, other + a);
      forms.push(one.charAt(0) + other, other.charAt(0) + one);
    }
  }
  return forms.filter((form) => form.length >= 2);
}

/** The first letter, or several where they transliterate one Cyrillic letter. */
function initialOf(part: string): string {
  return /^(?:shch|[szckt]h|ts|y[aeu]|j[ua])/.exec(part)?.[0] ?? part.charAt(0);
}

/** Each word as a whole and, if hyphenated, its pieces. */
function partsOf(words: readonly string[], joined: readonly string[]): string[] {
  const parts = words.flatMap((word) => [word, ...word.split(/[-‑'’]/)]);
  return [...new Set([...parts, ...joined].flatMap(spellings))].filter((part) => part !== '');
}

/** The spellings of a word in the 26 letters and digits. */
function spellings(word: string): string[] {
  if (/^[a-z0-9]*$/.test(word)) return [word];
  const forms = new Set([latin(word, {}), latin(word, GERMAN)]);
  if (/[\u0400-\u04ff]/.test(word)) {
    for (const [pattern, put] of OTHER_WAYS) {
      for (const form of [...forms].slice(0, MAX_FORMS)) forms.add(form.replace(pattern, put));
    }
  }
  return [...forms];
}

function latin(word: string, first: Readonly<Record<string, string>>): string {
  let out = '';
  for (const letter of word.normalize('NFC').toLowerCase()) {
    const plain = first[letter] ?? LATIN[letter] ?? letter.normalize('NFD').replace(/\p{M}/gu, '');
    out += LATIN[plain] ?? plain;
  }
  return out.replace(/[^a-z0-9]+/g, '');
}
