import { type HtmlElement, rawText } from '#src/files/html-tree.ts';
import { contactCard, type ContactCard } from './contact-card.ts';
import { emailsOf, nameOf, phonesOf, profilesOf, titleOf } from './contact-values.ts';
import type { PageSource } from './page-source.ts';
import { personNameKey, readPersonName } from './person-name.ts';
import { hasRoleWord } from './role-words.ts';
import { elementsOf } from './visible-page-text.ts';

/** Limit for all scripts of a page together. */
const MAX_CHARACTERS = 3_000_000;
const MAX_VALUES = 200_000;
const MAX_DEPTH = 60;
const MAX_CARDS = 500;
const DATA_TYPE = /^\s*application\/(?:json|vnd\.[a-z.+-]*json)\s*(?:;|$)/i;
/** `window.__NUXT__ = {…}` and the like; only valid JSON is read. */
const ASSIGNED =
  /(?:__(?:NEXT_DATA|NUXT|INITIAL_STATE|PRELOADED_STATE|APOLLO_STATE|DATA|STATE)__)\s*=\s*(?=[[{])/;
/** People below these keys are not the site's contacts, or are not people at all. */
const ASIDE =
  /^(?:images?|imgs?|photo|media|avatar|logo|icon|author|authors|creator|byline|reviews?|ratings?|testimonials?|quotes?|comments?|user|users|session|config|configuration|settings|theme|i18n|locales?|translations?|messages|products?|items?incart|cart|orders?|seo|meta|metadata|analytics|tracking|breadcrumbs?|menu|nav(?:igation)?|customers?|clients?|articles?|posts?|news|events?|speakers?|form|placeholder)$/i;

const NAME_KEYS = ['name', 'fullname', 'displayname', 'title'];
const FIRST_KEYS = ['firstname', 'givenname', 'first', 'vorname', 'prenom'];
const LAST_KEYS = ['lastname', 'familyname', 'surname', 'last', 'nachname', 'nom'];
const ROLE_KEYS = [
  'role',
  'jobtitle',
  'position',
  'function',
  'funktion',
  'job',
  'designation',
  'poste',
  'fonction',
  'cargo',
  'ruolo',
  'stanowisko',
  'subtitle',
  'title',
];
const EMAIL_KEYS = ['email', 'mail', 'emailaddress', 'e_mail', 'correo', 'courriel'];
const PHONE_KEYS = [
  'phone',
  'telephone',
  'tel',
  'phonenumber',
  'mobile',
  'directdial',
  'directphone',
  'direct',
  'durchwahl',
  'cell',
  'telefon',
  'telefono',
  'telefone',
];
const PROFILE_KEYS = [
  'linkedin',
  'linkedinurl',
  'twitter',
  'twitterurl',
  'x',
  'xurl',
  'facebook',
  'instagram',
];

/** Reads people from the JSON that a page embeds for its scripts. It is parsed, never executed. */
export function readScriptJson(source: PageSource): ContactCard[] {
  const reader = new JsonReader(source);
  let left = MAX_CHARACTERS;
  for (const element of elementsOf(source.page)) {
    if (element.name !== 'script' || left <= 0) continue;
    const text = jsonIn(element, left);
    if (text === null) continue;
    left -= text.length;
    const data = parsed(text);
    if (data !== undefined) reader.read(data, element.attribs['id'] === '__NUXT_DATA__');
  }
  return reader.cards();
}

function jsonIn(script: HtmlElement, limit: number): string | null {
  const { type = '', id = '', src } = script.attribs;
  if (src !== undefined) return null;
  const text = rawText(script);
  if (text.length > limit) return null;
  if (DATA_TYPE.test(type) || id === '__NEXT_DATA__' || id === '__NUXT_DATA__') return text;
  const start = type === '' || /javascript|module/i.test(type) ? ASSIGNED.exec(text) : null;
  if (!start) return null;
  const from = start.index + start[0].length;
  const to = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  return to > from ? text.slice(from, to + 1) : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

interface Step {
  value: unknown;
  depth: number;
}

class JsonReader {
  readonly #source: PageSource;
  readonly #found = new Map<string, ContactCard>();
  #left = MAX_VALUES;

  constructor(source: PageSource) {
    this.#source = source;
  }

  /** @param isIndexed values are positions in one list, as Nuxt writes them */
  read(data: unknown, isIndexed: boolean): void {
    const list = isIndexed && Array.isArray(data) ? (data as unknown[]) : null; // any array is an array of unknowns
    const valueOf = (written: unknown): unknown =>
      list && typeof written === 'number' ? list[written] : written;
    const open: Step[] = [{ value: data, depth: 0 }];
    for (let step = open.pop(); step && this.#left > 0; step = open.pop()) {
      this.#left -= 1;
      const { value, depth } = step;
      if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) continue;
      if (Array.isArray(value)) {
        for (const item of value.toReversed()) open.push({ value: item, depth: depth + 1 });
        continue;
      }
      const entries = Object.entries(value).map(([key, inner]) => [key, valueOf(inner)] as const);
      this.#note(entries);
      // An indexed list is read item by item: following its positions would visit the same object many times.
      for (const [key, inner] of entries.toReversed()) {
        if (!ASIDE.test(key) && !list) open.push({ value: inner, depth: depth + 1 });
      }
    }
  }

  cards(): ContactCard[] {
    return [...this.#found.values()];
  }

  #note(entries: readonly (readonly [string, unknown])[]): void {
    if (this.#found.size >= MAX_CARDS) return;
    const texts = new Map<string, string>();
    for (const [key, value] of entries) {
      if (typeof value === 'string') texts.set(key.toLowerCase().replaceAll(/[_-]/g, ''), value);
    }
    const all = (keys: readonly string[]): string[] => keys.flatMap((key) => texts.get(key) ?? []);
    const [first = '', last = ''] = [all(FIRST_KEYS)[0], all(LAST_KEYS)[0]];
    const joined = first !== '' && last !== '' ? [`${first} ${last}`] : [];
    const name = [...joined, ...all(NAME_KEYS)].map((text) => readPersonName(text)).find(Boolean);
    if (!name) return;
    const emails = emailsOf(all(EMAIL_KEYS));
    const phones = phonesOf(all(PHONE_KEYS), this.#source.region);
    const roles = all(ROLE_KEYS).filter((text) => personNameKey(text) !== personNameKey(name));
    const title = titleOf(roles);
    const isSure = emails.length + phones.length > 0 || (title !== null && hasRoleWord(title));
    if (!isSure) return;
    const profiles = profilesOf(all(PROFILE_KEYS), 'person');
    const card = contactCard({
      technique: 'script-json',
      kind: 'person',
      name: nameOf([name]),
      title,
      emails,
      phones,
      profiles,
    });
    this.#found.set(JSON.stringify(card), card);
  }
}
