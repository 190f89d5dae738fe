import { spelledOutStart } from './spelled-out-email.ts';
import { columnNamed } from './table-columns.ts';

const LONGEST_TITLE = 70;
const MAX_WORDS = 8;
/** The start of the contacts on a line, or of their label. */
const CONTACT_START =
  /https?:\/\/|www\.|[+(]{0,2}\d[\d ()./-]{5,}|(?<![\p{L}-])(?:e-?mails?|e-?post|mail|correo|courriel|tel(?:\.|efono?|efone|ephone)?|t[ée]l|phone|mobile?|mobil|fax|fon|tlf|puh|cell|gsm|linkedin|twitter)\s*[.:=]/iu;
const ANY_SIGN_OF_AT = /@|＠|[[({<«*_~|-]|\s(?:at|AT|\p{L}{5,14})\s/u;
/** What titles never contain: sentences, dates, numbers, addresses. */
const NO_TITLE =
  /[@?!…"“”„«»\d]|:\/\/|\.\s+\p{Lu}|\p{Ll}{3}\.$|^\P{L}*$|(?<!\p{L})(?:is|are|was|has|have|he|she|we|you|your|our|who|when|loves?|lives|joined|since|ist|sind|hat|wir|unsere?|seit|nous|notre|nos|est|desde|depuis|dal|od|sinds|sedan|siden)(?!\p{L})/iu;
/** Words of links and labels found where titles usually are. */
const WORDS_OF_PAGES =
  /^(?:e-?mail|mail|tel|phone|mobile?|fax|call|write|contact|kontakt|contacto?|contatt[oi]|vcard|linkedin|twitter|x|facebook|instagram|xing|github|website|web|homepage|profile?|profil|bio|biography|cv|read more|more|mehr|details|view|learn more|show|download|en savoir plus|leer más|ver más|home|menu|office|room|bürozeiten|sprechzeiten|photo|foto|portrait|email me|get in touch|schreiben|scrivi)(?!\p{L})[^\p{L}]*(?:\p{L}+)?$/iu;

/** Authors of testimonials, and texts of buttons. */
const NO_POSITION =
  /(?:^|\s)(?:customer|client|cliente|kunde|kundin|klient(?:in)?|reviewer)$|^(?:happy|loyal|satisfied|proud|long-?time|zufriedene\w?|stolze\w?) .*$|^(?:book|buy|order|shop|register|sign|join|apply|visit|see|get|start|try|subscribe|donate|reserve)(?: (?:now|here|us|online|today|in|up|more|it))?$/iu;

/** Without separators at either end. */
export function withoutEdges(text: string): string {
  return text.replace(/^[\s,;:|·•()–—/-]+|[\s,;:|·•(–—/-]+$/gu, '').replace(/^([^(]*)\)$/u, '$1');
}

/** The part of a line before its addresses and numbers, however they are written. */
export function beforeContacts(text: string): string {
  const ends = [
    CONTACT_START.exec(text)?.index ?? -1,
    addressStart(text),
    ANY_SIGN_OF_AT.test(text) ? spelledOutStart(text) : -1,
  ];
  return text.slice(0, Math.min(text.length, ...ends.filter((end) => end !== -1)));
}

function addressStart(text: string): number {
  const at = text.indexOf('@');
  let start = at;
  while (start > 0 && /[^\s(<[]/.test(text[start - 1] ?? ' ')) start -= 1;
  return start;
}

/** A short phrase of unknown words that may name a position; null for anything else. */
export function phraseOfTitle(written: string): string | null {
  const label = /^([^:]{2,40}):\s*(.*)$/u.exec(written);
  if (label && columnNamed(label[1] ?? '') !== 'title') return null;
  const text = withoutEdges(beforeContacts(label?.[2] ?? written)).replace(/(?<=[\p{L})])\.$/u, '');
  if (text.length < 2 || text.length > LONGEST_TITLE) return null;
  if (NO_TITLE.test(text) || WORDS_OF_PAGES.test(text) || NO_POSITION.test(text)) return null;
  if (text.split(' ').length > MAX_WORDS) return null;
  return (text.match(/\p{L}/gu)?.length ?? 0) >= 2 ? text : null;
}
