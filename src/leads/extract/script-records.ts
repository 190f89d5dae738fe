import { emailsOf, nameOf, phonesOf, profilesOf, titleOf, websiteOf } from './contact-values.ts';
import { domainOfEmail, domainOfSite, namesDomain } from './own-domain.ts';
import { readPersonName } from './person-name.ts';
import { plainKey, type ScriptKey, spellingsOf } from './script-keys.ts';

/** What an object in embedded data says about one person or organisation. */
export interface ScriptRecord {
  /** A person's name. */
  person: string | null;
  /** The name of an organisation, or another name that is no person's. */
  organization: string | null;
  titles: string[];
  emails: string[];
  phones: string[];
  profiles: string[];
  website: string | null;
  /** Domains of the addresses and the web site, apart from shared ones. */
  domains: string[];
  /** Those who lead the organisation, and the object about the person to contact. */
  leaders: string[];
  contact: object | null;
}

const MAX_TEXTS = 10;
/** "Élodie et Marc Schaeffer" */
const PAIR = /^(\p{Lu}[\p{L}'’-]+) (?:et|und|and|y|e|en|og|och|i|a|ja|ve|es|și|&) (\S+ \S.*)$/u;

/** @param valueOf resolves a value of the object, where values are positions in a list */
export function scriptRecord(
  object: object,
  valueOf: (written: unknown) => unknown,
  { region, url }: { region: string | null; url: string },
): ScriptRecord {
  const { texts, nested } = contentOf(object, valueOf);
  const contact = inOrder(nested, 'contact')[0] ?? null;
  const inner = contact === null ? null : contentOf(contact, valueOf).texts;
  const social = inOrder(nested, 'social').map((one) => contentOf(one, valueOf).texts);
  const all = (key: ScriptKey): string[] => inOrder(texts, key);
  const withInner = (key: ScriptKey): string[] => [
    ...all(key),
    ...(inner ? inOrder(inner, key) : []),
  ];
  const emails = emailsOf(withInner('email'));
  const website = websiteOf(withInner('website'), url);
  const site = website === null ? null : domainOfSite(website);
  const domains = [site, ...emails.map(domainOfEmail)].filter((domain) => domain !== null);
  const { person, organization } = namesOf(all, domains);
  const leaders = [...all('leader'), ...all('contact')].flatMap(personsIn);
  return {
    person: leaders.length > 0 && organization !== null ? null : person,
    organization,
    titles: all('role'),
    emails,
    phones: phonesOf(withInner('phone'), region),
    profiles: profilesOf(
      [...withInner('profile'), ...social.flatMap((one) => inOrder(one, 'profile'))],
      person === null ? 'organization' : 'person',
    ),
    website,
    domains,
    leaders,
    contact,
  };
}

interface Content {
  texts: Map<string, string>;
  nested: Map<string, object>;
}

function contentOf(object: object, valueOf: (written: unknown) => unknown): Content {
  const content: Content = { texts: new Map(), nested: new Map() };
  for (const [written, inner] of Object.entries(object)) {
    const key = plainKey(written);
    const value = valueOf(inner);
    if (key === '' || value === null) continue;
    if (typeof value === 'string') content.texts.set(key, value);
    else if (Array.isArray(value)) {
      const texts = value.slice(0, MAX_TEXTS).map(valueOf);
      const [first] = texts;
      if (texts.length > 0 && texts.every((text) => typeof text === 'string')) {
        content.texts.set(key, texts.join('; '));
      } else if (texts.length === 1 && typeof first === 'object' && first !== null) {
        content.nested.set(key, first);
      }
    } else if (typeof value === 'object') content.nested.set(key, value);
  }
  return content;
}

function inOrder<Value>(values: ReadonlyMap<string, Value>, key: ScriptKey): Value[] {
  return spellingsOf(key).flatMap((spelling) => values.get(spelling) ?? []);
}

/** A name in two parts is a person's; one that its domain contains, or beside a company's key, is not. */
function namesOf(
  all: (key: ScriptKey) => string[],
  domains: readonly string[],
): Pick<ScriptRecord, 'person' | 'organization'> {
  const [first = '', last = ''] = [
    all('first')[0],
    all('last').find((text) => text !== all('first')[0]),
  ];
  const joined = first !== '' && last !== '' ? readPersonName(`${first} ${last}`) : null;
  const company = nameOf(all('company'));
  const names = all('name');
  const person = joined ?? names.map((text) => readPersonName(text)).find(Boolean) ?? null;
  const other = company ?? (joined === null ? nameOf(names) : null);
  const isOfDomain = other !== null && domains.some((domain) => namesDomain(other, domain));
  const isPerson = person !== null && company === null && !isOfDomain;
  return { person: person && nameOf([person]), organization: isPerson ? null : other };
}

/** The persons that a text names, alone or as a pair with one family name. */
function personsIn(text: string): string[] {
  const pair = PAIR.exec(text.trim());
  const family = pair?.[2]?.trim().split(' ').at(-1) ?? '';
  const names = pair ? [`${pair[1]} ${family}`, pair[2] ?? ''] : [text];
  return names.flatMap((name) => readPersonName(name) ?? []);
}

export function roleOf({ titles }: ScriptRecord): string | null {
  return titleOf(titles);
}
