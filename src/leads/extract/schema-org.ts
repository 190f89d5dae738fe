import {
  type ContactCard,
  contactCard,
  type PostalAddress,
  type Technique,
} from './contact-card.ts';
import {
  descriptionOf,
  emailsOf,
  nameOf,
  phonesOf,
  profilesOf,
  shortText,
  titleOf,
  websiteOf,
} from './contact-values.ts';
import { countryCodeOf } from './country-code.ts';
import type { PageSource } from './page-source.ts';
import type { SchemaGraph, SchemaNode, SchemaValue } from './schema-graph.ts';
import { type WalkedGraph, walkGraph } from './schema-walk.ts';

/** A page that lists more is a directory. */
const MAX_CARDS = 1_000;
const MAX_VALUES = 40;
const MAX_PARTS = 50;
const ADDRESSES = new Set(['url', 'sameas']);
/** A person's name, given in place of a person. */
const FULL_NAME = /^\p{Lu}[\p{L}\p{M}.'’-]*(?: [\p{L}\p{M}.'’-]+){1,4}$/u;

/** The people and organisations that a page describes with schema.org and similar vocabularies. */
export function cardsOfGraph(
  graph: SchemaGraph,
  technique: Technique,
  source: Pick<PageSource, 'url' | 'region'>,
): ContactCard[] {
  const walked = walkGraph(graph, source.url);
  // Templates repeat the same data many times.
  const cards = new Map<string, ContactCard>();
  let made = 0;
  const keep = (card: ContactCard): void => {
    made += 1;
    cards.set(JSON.stringify(card), card);
  };
  for (const node of walked.nodes) {
    const card = cardOf(node, { walked, technique, source });
    if (card) keep(card);
    for (const named of namedStaff(node, walked, technique)) keep(named);
    if (made >= MAX_CARDS) break;
  }
  return [...cards.values()];
}

interface Reading {
  walked: WalkedGraph;
  technique: Technique;
  source: Pick<PageSource, 'url' | 'region'>;
}

function cardOf(node: SchemaNode, { walked, technique, source }: Reading): ContactCard | null {
  const kind = walked.kindOf(node);
  if (kind === null && walked.isPart(node)) return null;
  const words = (property: string, of = node): string[] => wordsOf(of, property, walked);
  const address = addressOf(node, walked);
  const contacts = [node, ...contactParts(node, walked)];
  const emails = emailsOf(contacts.flatMap((part) => words('email', part)));
  const region = countryCodeOf(address?.country ?? '') ?? source.region;
  const phones = phonesOf(
    contacts.flatMap((part) => words('telephone', part)),
    region,
  );
  const hasContact = emails.length + phones.length > 0;
  if (kind === null) {
    return hasContact ? contactCard({ technique, kind: 'page', emails, phones }) : null;
  }
  const urls = [...words('sameas').flatMap(severalUrls), ...words('url')];
  const card = contactCard({
    technique,
    kind,
    entity: kind === 'organization' && walked.isListed(node) ? 'member' : null,
    name: nameOf(
      kind === 'person' ? personNames(words) : [...words('name'), ...words('legalname')],
    ),
    emails,
    phones,
    profiles: profilesOf(urls, kind),
    website: websiteOf(words('url'), source.url),
    description: descriptionOf([...words('description'), ...words('disambiguatingdescription')]),
    address,
  });
  if (kind === 'person') {
    card.title = titleOf(titles(node, walked));
    card.company = companyOf(node, walked);
  }
  if (walked.isInPassing(node) && !hasContact) return null;
  return card.name !== null || hasContact || card.profiles.length > 0 ? card : null;
}

function personNames(words: (property: string) => string[]): string[] {
  const [given = ''] = words('givenname');
  const [family = ''] = words('familyname');
  return [...words('name'), `${given} ${family}`];
}

function severalUrls(text: string): string[] {
  return text.split(/[\s,;]+(?=https?:)/);
}

/** Texts of a property. A node in place of a text is represented by its value, its name or its address. */
function wordsOf(node: SchemaNode, property: string, walked: WalkedGraph): string[] {
  return (node.properties.get(property) ?? []).slice(0, MAX_VALUES).flatMap((value) => {
    // The URL of a page may also be the id of a node.
    if (typeof value === 'string' && ADDRESSES.has(property)) return [value];
    const things = walked.resolve(value);
    if (things.length === 0) return typeof value === 'string' ? [value] : [];
    return things.flatMap((thing) => {
      const texts = [...texted(thing, 'value'), ...texted(thing, 'name')];
      return texts.length === 0 && thing.id !== null ? [thing.id] : texts;
    });
  });
}

function texted(node: SchemaNode, property: string): string[] {
  return plainStrings(node.properties.get(property) ?? []);
}

function plainStrings(values: readonly SchemaValue[]): string[] {
  return values.slice(0, MAX_VALUES).filter((value) => typeof value === 'string');
}

function titles(node: SchemaNode, walked: WalkedGraph): string[] {
  const passedThrough = [
    ...walked.targets(node, 'worksfor').flatMap(({ roles }) => roles),
    ...(walked.employerOf.get(node)?.roles ?? []),
  ];
  return [
    ...wordsOf(node, 'jobtitle', walked),
    ...wordsOf(node, 'hasoccupation', walked),
    ...plainStrings(passedThrough),
  ];
}

function companyOf(person: SchemaNode, walked: WalkedGraph): string | null {
  const named = (organization: SchemaNode): string | null =>
    nameOf([...texted(organization, 'name'), ...texted(organization, 'legalname')]);
  for (const { node } of walked.targets(person, 'worksfor').slice(0, MAX_PARTS)) {
    const name = named(node);
    if (name !== null) return name;
  }
  const written = nameOf(
    texted(person, 'worksfor').filter((text) => walked.resolve(text).length === 0),
  );
  if (written !== null) return written;
  const employer = walked.employerOf.get(person)?.organization;
  if (employer && walked.kindOf(employer) === 'organization') return named(employer);
  const [group] = walked.targets(person, 'memberof');
  return group ? named(group.node) : null;
}

/** The parts of a node whose mail and phone belong to the node. */
function contactParts(node: SchemaNode, walked: WalkedGraph): SchemaNode[] {
  const parts = ['contactpoint', 'address', 'location'].flatMap((property) =>
    walked.targets(node, property).slice(0, MAX_PARTS),
  );
  return parts
    .map((part) => part.node)
    .filter((part) => walked.kindOf(part) === null && part !== node)
    .filter((part) => !texted(part, 'contacttype').some((type) => /\bfax\b/i.test(type)));
}

function addressOf(node: SchemaNode, walked: WalkedGraph): PostalAddress | null {
  const places = walked.targets(node, 'location').slice(0, MAX_PARTS);
  for (const holder of [node, ...places.map((place) => place.node)]) {
    for (const target of walked.targets(holder, 'address').slice(0, MAX_PARTS)) {
      const address = postalAddress(target.node, walked);
      if (address) return address;
    }
    const [written] = texted(holder, 'address').filter((text) => walked.resolve(text).length === 0);
    const street = shortText(written ?? '');
    if (street !== null) {
      return { street, postalCode: '', locality: '', region: '', country: '' };
    }
  }
  return postalAddress(node, walked);
}

function postalAddress(node: SchemaNode, walked: WalkedGraph): PostalAddress | null {
  const part = (property: string): string =>
    shortText(wordsOf(node, property, walked).slice(0, 3).join(', ')) ?? '';
  const address = {
    street: part('streetaddress'),
    postalCode: part('postalcode'),
    locality: part('addresslocality'),
    region: part('addressregion'),
    country: part('addresscountry'),
  };
  return Object.values(address).some((text) => text !== '') ? address : null;
}

/** Staff of an organisation given only by name. */
function namedStaff(node: SchemaNode, walked: WalkedGraph, technique: Technique): ContactCard[] {
  if (walked.kindOf(node) !== 'organization') return [];
  const company = nameOf(texted(node, 'name'));
  return [...texted(node, 'founder'), ...texted(node, 'employee')]
    .filter((text) => text.length < 80 && FULL_NAME.test(text.trim()))
    .map((text) => contactCard({ technique, kind: 'person', name: nameOf([text]), company }))
    .filter((card) => card.name !== null);
}
