import { type HtmlElement, type HtmlNode, isElement, rawText } from '#src/files/html-tree.ts';
import { contactCard, type ContactCard } from './contact-card.ts';
import { extensionsIn } from './extensions.ts';
import { nameEvidence } from './name-evidence.ts';
import { namesInText } from './names-in-text.ts';
import { isPublicServiceNumber, isServiceNumber } from './normalize-phone.ts';
import { OF_PHONES } from './not-a-phone.ts';
import { tellsOfNobodyHere } from './other-offices.ts';
import type { PageSource } from './page-source.ts';
import { scanEmails } from './scan-emails.ts';
import { scanPhones } from './scan-phones.ts';
import { sourceOffsets } from './source-offset.ts';
import { elementsOf, visiblePageText, withoutMarks } from './visible-page-text.ts';

const LONGEST_SENTENCE = 200;
const MIN_WORDS_OF_SENTENCE = 3;
const MIN_WORDS_OF_OTHERS = 2;
const SENTENCE_END = /(?<=[\p{Ll}\p{Nd})]{2})[.!?] (?=\p{Lu})/u;
const FIRST_PERSON =
  /(?<!\p{L})(?:our|us|uns|unser\p{L}{0,2}|nous|notre|nos|nuestr[oa]s?|nosotr[oa]s|contáct[ae]nos|llám[ae]nos|nostr[oaie]|contattarci|chiamarci|nós|noss[oa]s?|contacte-nos|ligue-nos|ons|onze|oss|vår[at]?|våre|vores|meille|meidät|meidän|nasz\p{L}{0,3}|náš|naš\p{L}{1,2}|nám|nás|minket|elérhetőségünk|telefonszámunk|noastr\p{L}{1,2}|nostru|bize|bizi|bizim|нас|нам|наш\p{L}{0,2})(?!\p{L})/iu;
/** Beginnings of words that offer something and say whom to call for it, by language. */
const CALL_WORDS = [
  'call|ring|dial|text|reach|contact|book|phone|enquir|inquir|line|hotline|number|rent|hire',
  'ruf|anruf|anmeld|erreich|unter|wähl|meld|auskunft|auskünfte|notfall|nummer|vermiet|verleih',
  'appel|téléphon|joindre|joignable|réserv|inscri|renseign|numér|location',
  'llam|contact|reserv|inform|escrib|númer|alquil|ligue|ligar|contat|marca|marque|alug',
  'chiam|contatt|prenota|telefon|iscri|numer|noleggi|bel|bereik|app|afspra|verhuur',
  'nås|boka|bestill|tilmeld|påmeld|anmäl|kontakt|uthyr|utleie|udlej|soit|varau|tavoit|vuokra',
  'dzwoń|zadzwoń|zapis|rezerw|wynaj|vola|zavola|objedn|rezerv|pronáj|prijav|nazov|zov',
  'hív|foglal|jelentkez|bérel|sunați|suna|program|închiri|aray|kayıt|randevu|kiral',
  'звон|позвон|запис|телефон|аренд|дзвон|оренд|καλέ|τηλεφων|ενοικ',
];
const MAY_CALL = new RegExp(`(?<!\\p{L})(?:${CALL_WORDS.join('|')})`, 'iu');
/** Beginnings of words that ask to call, or say who answers. */
const ASKS_TO_CALL =
  /(?<!\p{L})(?:call|ring|dial|text|reach|phone|leave a message|whats ?app|ruf|anruf|angerufen|erreich|wähl|(?:unter|at|on|au|al|allo|op|på|pod|pelo|στο)(?= 0$)|appel|téléphon|joindre|joignable|renseign|contact|kontakt|llam|ligue|ligar|marque|chiam|telefon|bel(?:t|len)?(?!\p{L})|bereik|app(?!\p{L})|nås|soit|tavoit|dzwoń|zadzwoń|vola|zavola|nazov|zov|hív|sunați|suna|găsi|aray|звон|позвон|дзвон|τηλεφων|καλέ)/iu;
/** Beginnings of words for what an organisation's own free number is for. */
const OWN_LINE =
  /(?<!\p{L})(?:call|ring|dial|line|order|book|enquir|inquir|customer|sales|bestell|ruf|anruf|kund|verkauf|appel|command|client|llam|pedid|ventas|ligue|encomend|chiam|ordin|bel(?:len)?(?!\p{L})|klant|bestill|tilaus|asiakas|dzwoń|zadzwoń|zamów|klient|volejte|objedn|hív|rendel|sunați|comenzi|aray|sipariş)/iu;
const BLANK_LINE = /\n[ \t]*\n/u;
const PHONE_WORD = /\p{L}*(?:tel|fon|phone|mob|fax|faks)\p{L}*/giu;
/** Words that say only that a number is free. */
const FREE =
  /(?:tel|n[uú]mero |num[ée]ro )(?:verde|vert|azul)(?!\p{L})|(?<!\p{L})(?:gratis|gratuit[aeos]?|gratuito|gratuita|free|toll[ -]free|freephone|kostenlos|kostenfrei|bezpłatn\p{L}*|zdarma|ingyenes\p{L}*|ücretsiz|maksuton)(?!\p{L})/giu;
/** "Water mains (day and night): ", the whole text before a number. */
const SHORT_LABEL = /^[^.,:!?]{2,45}:\s*$/u;
/** Languages that write every noun with a capital. */
const CAPITAL_NOUNS = new Set(['DE', 'AT', 'CH', 'LI', 'LU']);
const LAST_SENTENCE = /(?<=[\p{Ll}\p{Nd})]{2} ?)[.!?] (?=[\p{Lu}\p{Nd}+(])/u;
/** What may stand between a person and the number: a role, "on the number". */
const TO_NUMBER = /^[\s,(–-]{0,3}(?:\p{Ll}[\p{L}\p{M}’'-]*[\s,(]+){0,5}\(?0$/u;
/** Per page; a longer list is not a list of contacts. */
const MAX_EACH = 500;
const MAX_MARKS = 100;
const LONGEST_FAX = 60;
const MAX_STEPS_BEHIND_ICON = 3;
/** Of an icon: `fa-fax`, `icon-fax`. */
const FAX_CLASS = /(?:^|[\s_-])(?:tele)?fax(?:$|[\s_-])/i;
/** Of hCard, and those like it. */
const PHONE_CLASS =
  /(?:^|\s)(?:tel|phone|telephone|telefon|telefono|tel[-_]?number|phone[-_]?number)(?:$|\s)/i;

/** Addresses and phone numbers that a reader of the page can see. */
export function readVisibleText(source: PageSource): ContactCard[] {
  const text = visiblePageText(source.page);
  return [...emailCards(source, text), ...phoneCards(source, withoutMarks(text))];
}

function emailCards({ html }: PageSource, text: string): ContactCard[] {
  const offsetOf = sourceOffsets(html);
  const emails = scanEmails(text)
    .filter(({ isDisguised }) => !isDisguised)
    .map(({ email }) => email);
  return [...new Set(emails)].slice(0, MAX_EACH).map((email) =>
    contactCard({
      technique: 'visible-text',
      kind: 'page',
      emails: [email],
      offset: offsetOf(email),
    }),
  );
}

function phoneCards({ html, page, region, trunk = null }: PageSource, text: string): ContactCard[] {
  const offsetOf = sourceOffsets(html);
  const cards = new Map<string, ContactCard>();
  const found = scanPhones(text, region);
  // A number inside a sentence usually belongs to someone else: without such words, or on a page with labelled numbers.
  const isMarked =
    found.some(({ isLabelled }) => isLabelled) ||
    page.links.some(({ href }) => /^\s*tel:/i.test(href)) ||
    /itemprop=["']?telephone/i.test(html);
  const faxes = markedNumbers(page, region, isFaxElement);
  const marked = markedNumbers(page, region, isPhoneElement);
  const extensions = trunk === null ? [] : extensionsIn(text, trunk);
  const all = [...found, ...extensions.map((one) => ({ ...one, isLabelled: true }))];
  for (const { phone, written, isLabelled, at } of all) {
    if (faxes.has(phone)) continue;
    if (phone === trunk?.number) continue;
    if (!isLabelled && !marked.has(phone) && isInSentence(text, at, { isMarked, region })) continue;
    const isOfService = isLabelled ? isPublicServiceNumber(phone) : isServiceNumber(phone);
    if (isOfService && isSaidOfOthers(text, at)) continue;
    if (cards.size >= MAX_EACH || cards.has(phone)) continue;
    const offset = !isServiceNumber(phone) && isLabelledAlone(text, at) ? null : offsetOf(written);
    cards.set(
      phone,
      contactCard({ technique: 'visible-text', kind: 'page', phones: [phone], offset }),
    );
  }
  return [...cards.values()];
}

/** Numbers whose only sign of being a fax or a phone is their markup: a property, a class, or an icon before them. */
function markedNumbers(
  page: PageSource['page'],
  region: string | null,
  isMark: (element: HtmlElement) => boolean,
): Set<string> {
  const marked = elementsOf(page).filter(isMark).take(MAX_MARKS);
  const texts = [...marked].map((element) => `tel: ${textAt(element)}`);
  return new Set(
    texts.flatMap((text) =>
      scanPhones(text, region)
        .slice(0, 1)
        .map(({ phone }) => phone),
    ),
  );
}

function isFaxElement({ attribs }: HtmlElement): boolean {
  return attribs['itemprop'] === 'faxNumber' || FAX_CLASS.test(classOf(attribs));
}

function isPhoneElement({ attribs }: HtmlElement): boolean {
  return attribs['itemprop'] === 'telephone' || PHONE_CLASS.test(classOf(attribs));
}

function classOf(attribs: HtmlElement['attribs']): string {
  return (attribs['class'] ?? '').slice(0, 200);
}

/** The text of an element; that behind it for an icon. */
function textAt(element: HtmlElement): string {
  let at: HtmlNode | null = element;
  for (let steps = 0; at && steps < MAX_STEPS_BEHIND_ICON; steps += 1) {
    const text = at.type === 'text' ? at.data : isElement(at) ? rawText(at) : '';
    if (text.trim() !== '') return text.slice(0, LONGEST_FAX);
    at = at.next;
  }
  return '';
}

/** Whether a sentence precedes the number on its line. Where no number has a label, it may say that one can call it. */
function isInSentence(
  text: string,
  at: number,
  { isMarked, region }: { isMarked: boolean; region: string | null },
): boolean {
  const before = text.slice(Math.max(0, at - LONGEST_SENTENCE), at);
  const line = before.slice(Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\t')) + 1);
  const part = line.split(/[|·•]|(?<=[\p{L}\p{Nd})]); /u).at(-1) ?? '';
  if (SHORT_LABEL.test(part.replace(/\s\([^()]*\)/gu, ''))) return false;
  // The site speaks of itself.
  if (FIRST_PERSON.test(part.split(SENTENCE_END).at(-1) ?? '')) return false;
  if (!isMarked && MAY_CALL.test(part)) return false;
  const last = `${part}0`.split(LAST_SENTENCE).at(-1) ?? '';
  if ((isMarked && asksToCall(last, region)) || isOfPerson(last, region)) {
    // "…, who is not a member of ours"
    return tellsOfNobodyHere(text.slice(at, at + LONGEST_SENTENCE).split(SENTENCE_END, 1)[0] ?? '');
  }
  const sentence = isMarked ? part : last;
  const words = sentence.match(/(?<![\p{L}@.-])\p{Ll}{3,}(?![\p{L}@.-])/gu) ?? [];
  return words.length >= MIN_WORDS_OF_SENTENCE;
}

/** Whether a number is in a paragraph or a row of its own that says what it is for: no address elsewhere tells whose. */
function isLabelledAlone(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - LONGEST_SENTENCE), at).split(BLANK_LINE);
  const after = text.slice(at, at + LONGEST_SENTENCE).split(BLANK_LINE, 1)[0] ?? '';
  const lead = before.length > 1 ? (before.at(-1) ?? '') : '';
  const isLabel = /:\s*$|\t/u.test(lead) && /\p{L}{4}/u.test(lead.replace(PHONE_WORD, ''));
  return isLabel && !(lead + after).includes('@');
}

/**
 * Whether a sentence or a label precedes a number and tells of no service of the site's own. Most numbers that are free
 * to call are those of authorities, helplines and the like.
 */
function isSaidOfOthers(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - LONGEST_SENTENCE), at);
  const line = before.slice(Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\t')) + 1);
  const part = line.split(/[|·•]/u).at(-1) ?? '';
  const whole = part.split(SENTENCE_END).at(-1) ?? '';
  if (SHORT_LABEL.test(part)) return false;
  const clause = whole.replace(FREE, '');
  if (FIRST_PERSON.test(clause) || OF_PHONES.test(clause) || OWN_LINE.test(clause)) return false;
  const words = clause.match(/(?<![\p{L}@.-])\p{Ll}{2,}(?![\p{L}@.-])/gu) ?? [];
  const least = clause === whole ? MIN_WORDS_OF_OTHERS : 1;
  // "Always gratis: 0808 …"
  const isLabel = clause === whole || /\p{L}{3,}\P{L}+\p{L}{3,}/u.test(clause);
  const isName = isLabel && /\p{L}[^:]*:\s*$|:\s+\p{Lu}[^:]*$/u.test(clause);
  return isName || words.length >= least;
}

/** Whether somebody who is no firm is named right before a number: "is organised by Jane Doe (", "Jane Doe, clerk, on". */
function isOfPerson(sentence: string, region: string | null): boolean {
  const name = namesInText(sentence).findLast((one) => nameEvidence(one.name) === 'known')?.name;
  if (name === undefined) return false;
  const between = sentence.slice(sentence.lastIndexOf(name) + name.length);
  return TO_NUMBER.test(between) && namesOnlyPeople(sentence, region);
}

/** Whether a sentence asks to call its number, and names nobody but people: "Call us or Jane Doe on". */
function asksToCall(sentence: string, region: string | null): boolean {
  return ASKS_TO_CALL.test(sentence) && namesOnlyPeople(sentence, region);
}

function namesOnlyPeople(sentence: string, region: string | null): boolean {
  if (CAPITAL_NOUNS.has(region ?? '')) return true;
  const people = namesInText(sentence).filter(({ name }) => nameEvidence(name) === 'known');
  const rest = people.reduce((text, { name }) => text.replace(name, ''), sentence);
  const [, ...named] = ` ${rest}`.split(/[\s:(]+(?=\p{Lu}[\p{L}\p{M}])/u);
  return named
    .slice(/^\p{Lu}/u.test(rest) ? 1 : 0)
    .every((part) => nameEvidence(/^[\p{L}\p{M}’'-]+/u.exec(part)?.[0] ?? '') === 'known');
}
