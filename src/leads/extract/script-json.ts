import { type HtmlElement, rawText } from '#src/files/html-tree.ts';
import { isRoleAddress } from '#src/leads/lexicon/email-facts.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import { contactCard, type ContactCard } from './contact-card.ts';
import { titleOf } from './contact-values.ts';
import { organizationNameTest } from './is-organization-name.ts';
import { isListingPage } from './member-cards.ts';
import { organizationKey } from './organization-key.ts';
import { areDomainsAlike, isAtDomain, namesDomain } from './own-domain.ts';
import { readPageLines } from './page-lines.ts';
import type { PageSource } from './page-source.ts';
import { personNameKey } from './person-name.ts';
import { hasRoleWord } from './role-words.ts';
import { roleOf, type ScriptRecord, scriptRecord } from './script-records.ts';
import { elementsOf } from './visible-page-text.ts';

/** Limit for all scripts of a page together. */
const MAX_CHARACTERS = 3_000_000;
const MAX_VALUES = 200_000;
const MAX_DEPTH = 60;
const MAX_CARDS = 500;
/** Objects that are read as people or organisations. */
const MAX_RECORDS = 10_000;
/** In a list of organisations that name no domain. */
const MIN_MEMBERS_WITHOUT_DOMAIN = 3;
const DATA_TYPE = /^\s*application\/(?:json|vnd\.[a-z.+-]*json)\s*(?:;|$)/i;
/** `window.__NUXT__ = {…}` and the like; only valid JSON is read. */
const ASSIGNED =
  /(?:__(?:NEXT_DATA|NUXT|INITIAL_STATE|PRELOADED_STATE|APOLLO_STATE|DATA|STATE)__|Static\.SQUARESPACE_CONTEXT)\s*=\s*(?=[[{])/;
/** Below these keys nobody is a contact of the site, or nobody is meant at all. */
const ASIDE =
  /^(?:images?|imgs?|photo|media|avatar|logo|icon|author|authors|creator|byline|reviews?|ratings?|testimonials?|quotes?|zitate?|citations?|citas?|citazion[ei]|cita[cç](?:[aã]o|[oõ]es)|citat(?:en|er)?|citaat|sitat(?:er)?|sitaatit?|cytaty?|cit[aá]ty?|id[eé]zet(?:ek)?|alintilar?|comments?|user|users|session|config|configuration|settings|theme|i18n|locales?|translations?|messages|products?|items?incart|cart|orders?|seo|meta|metadata|analytics|tracking|breadcrumbs?|menu|nav(?:igation)?|customers?|clients?|articles?|posts?|news|events?|speakers?|form|placeholder|sponsors?|sponsoren|sponzori|patrocinadores|m[eé]c[eè]nes|referen(?:ces|zen|cias|ties|ze)|kund(?:en|er)|klanten|clientes?|clienti|klienci|zakaznici|bewertungen|avis|opiniones|recensioni|ervaringen|beoordelingen|recenze|opinie|anmeldelser|omdomen|nieuws|actualit[eé]s|noticias|notizie|aktuality|aktualnosci|nyheter|nyheder|uutiset|veranstaltungen|termine|[eé]v[eé]nements|eventos|eventi|akce|wydarzenia|evenemang|arrangementer|produkte|produits|productos|prodotti|produkty|producten|produkter)$/i;

/** Reads people and listed organisations from the JSON that a page embeds for its scripts. It is parsed, never executed. */
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

type Resolve = (written: unknown) => unknown;

class JsonReader {
  readonly #source: PageSource;
  readonly #found = new Map<string, ContactCard>();
  readonly #used = new WeakSet<object>();
  readonly #isHost: (name: string) => boolean;
  readonly #isListing: boolean;
  readonly #siteDomain: string;
  #left = MAX_VALUES;
  #recordsLeft = MAX_RECORDS;

  constructor(source: PageSource) {
    this.#source = source;
    this.#isHost = organizationNameTest(source);
    this.#isListing = isListingPage(source, readPageLines(source.page.root));
    this.#siteDomain = registrableDomain(source.url) ?? '';
  }

  /** @param isIndexed values are positions in one list, as Nuxt writes them */
  read(data: unknown, isIndexed: boolean): void {
    // any array is an array of unknowns
    if (isIndexed && Array.isArray(data)) this.#readList(data as unknown[]);
    else this.#readTree(data);
  }

  cards(): ContactCard[] {
    return [...this.#found.values()];
  }

  #readTree(data: unknown): void {
    const open: Step[] = [{ value: data, depth: 0 }];
    for (let step = open.pop(); step && this.#left > 0; step = open.pop()) {
      this.#left -= 1;
      const { value, depth } = step;
      if (depth > MAX_DEPTH || !isObject(value)) continue;
      if (Array.isArray(value)) {
        this.#readGroup(value.filter(isRecord), asWritten);
        for (const item of value.toReversed()) open.push({ value: item, depth: depth + 1 });
        continue;
      }
      this.#readGroup([value], asWritten);
      for (const [key, inner] of Object.entries(value).toReversed()) {
        if (!ASIDE.test(key)) open.push({ value: inner, depth: depth + 1 });
      }
    }
  }

  /** Item by item: following the positions would visit the same object many times. */
  #readList(list: readonly unknown[]): void {
    const valueOf: Resolve = (written) => (typeof written === 'number' ? list[written] : written);
    const items = list.slice(0, this.#left);
    this.#left -= items.length;
    for (const item of items) {
      if (isRecord(item)) this.#skipAside(item, valueOf);
    }
    for (const item of items) {
      if (Array.isArray(item) && !this.#used.has(item) && this.#left > 0) {
        this.#left -= item.length;
        this.#readGroup(item.slice(0, MAX_VALUES).map(valueOf).filter(isRecord), valueOf);
      }
    }
    for (const item of items) if (isRecord(item)) this.#readGroup([item], valueOf);
  }

  #skipAside(object: object, valueOf: Resolve): void {
    for (const [key, written] of Object.entries(object)) {
      const inner = valueOf(written);
      if (!isObject(inner) || !ASIDE.test(key)) continue;
      this.#used.add(inner);
      const items = Array.isArray(inner) ? inner.slice(0, this.#left) : [];
      this.#left -= items.length;
      for (const item of items.map(valueOf)) if (isObject(item)) this.#used.add(item);
    }
  }

  /** Reads the objects of one list together: several organisations in it are listed ones. */
  #readGroup(objects: readonly object[], valueOf: Resolve): void {
    if (this.#found.size >= MAX_CARDS || this.#recordsLeft <= 0) return;
    const free = objects.filter((object) => !this.#used.has(object));
    this.#recordsLeft -= free.length;
    const read = free.slice(0, MAX_CARDS).map((object) => {
      this.#used.add(object);
      return scriptRecord(object, valueOf, this.#source);
    });
    const records = asFirms(read);
    const members = this.#membersIn(records);
    for (const record of records) {
      if (members.has(record)) this.#addMember(record, valueOf);
      else this.#addOwn(record);
    }
  }

  #membersIn(records: readonly ScriptRecord[]): ReadonlySet<ScriptRecord> {
    const others = records.filter(
      ({ organization, emails, phones, website, domains }) =>
        organization !== null &&
        emails.length + phones.length + (website === null ? 0 : 1) > 0 &&
        !this.#isHost(organization) &&
        !domains.some((domain) => areDomainsAlike(domain, this.#siteDomain)),
    );
    const foreign = others.filter(({ domains }) => domains.length > 0);
    const names = new Set(others.map(({ organization }) => organizationKey(organization ?? '')));
    const isList =
      names.size >= 2 &&
      (foreign.length >= 2 ||
        (this.#isListing && (foreign.length > 0 || names.size >= MIN_MEMBERS_WITHOUT_DOMAIN)));
    // The page of one of them has its name in the title.
    const isNamedInTitle = ({ organization, domains }: ScriptRecord): boolean =>
      domains.some((domain) => namesDomain(organization ?? '', domain)) &&
      this.#source.page.title.startsWith(organization ?? '');
    return new Set(isList ? others : others.filter(isNamedInTitle));
  }

  #addMember(record: ScriptRecord, valueOf: Resolve): void {
    const { organization, emails, phones, profiles, website, leaders, contact } = record;
    const person = contact && scriptRecord(contact, valueOf, this.#source);
    if (contact) this.#used.add(contact);
    const shared = { technique: 'script-json', entity: 'member' } as const;
    this.#add(
      contactCard({
        ...shared,
        kind: 'organization',
        name: organization,
        emails,
        phones,
        profiles,
        website,
      }),
    );
    const ofPerson = { ...shared, kind: 'person', company: organization } as const;
    if (person?.person) {
      const { emails: own, phones: numbers } = person;
      this.#add(
        contactCard({
          ...ofPerson,
          name: person.person,
          title: roleOf(person),
          emails: own,
          phones: numbers,
        }),
      );
    }
    const named = record.person === null ? leaders : [record.person, ...leaders];
    for (const name of new Set(named)) {
      if (name !== organization) this.#add(contactCard({ ...ofPerson, name }));
    }
  }

  #addOwn(record: ScriptRecord): void {
    const { person, organization, emails, phones, profiles } = record;
    const technique = 'script-json';
    if (organization !== null && this.#isHost(organization)) {
      if (emails.length + phones.length === 0) return;
      const kind = 'organization' as const;
      this.#add(contactCard({ technique, kind, name: organization, emails, phones, profiles }));
    } else if (person !== null && organization === null) this.#addPerson(person, record);
    else if (emails.some((email) => isAtDomain(email, this.#siteDomain))) {
      this.#add(contactCard({ technique, kind: 'page', emails, phones }));
    }
  }

  #addPerson(name: string, record: ScriptRecord): void {
    const { emails, phones, profiles, titles } = record;
    const roles = titles.filter((text) => personNameKey(text) !== personNameKey(name));
    const title = titleOf(roles);
    if (title === null && emails.length > 0 && emails.every(isRoleAddress)) {
      // Whoever answers there: the contacts are those of the office.
      this.#add(contactCard({ technique: 'script-json', kind: 'page', emails, phones }));
      return;
    }
    const isSure = emails.length + phones.length > 0 || (title !== null && hasRoleWord(title));
    if (!isSure) return;
    this.#add(
      contactCard({
        technique: 'script-json',
        kind: 'person',
        name,
        title,
        emails,
        phones,
        profiles,
      }),
    );
  }

  #add(card: ContactCard): void {
    if (this.#found.size < MAX_CARDS) this.#found.set(JSON.stringify(card), card);
  }
}

/** In a list of firms, one that is named like a person is a firm, too. */
function asFirms(records: readonly ScriptRecord[]): readonly ScriptRecord[] {
  const firms = records.filter(({ organization }) => organization !== null);
  const people = records.filter(
    ({ person, organization }) => person !== null && organization === null,
  );
  if (firms.length <= people.length || people.length === 0) return records;
  return records.map((record) => {
    const { person, organization, titles } = record;
    const isFirm = person !== null && organization === null && !titles.some(hasRoleWord);
    return isFirm ? { ...record, person: null, organization: person } : record;
  });
}

function asWritten(value: unknown): unknown {
  return value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isRecord(value: unknown): value is object {
  return isObject(value) && !Array.isArray(value);
}
