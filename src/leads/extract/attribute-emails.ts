import type { HtmlElement } from '#src/files/html-tree.ts';
import { rawText } from '#src/files/html-tree.ts';
import {
  decodeBase64,
  decodePercent,
  decodeRot13,
  decodeTypo3Mail,
  reversedText,
} from './decode-text.ts';
import { decodeEntities } from './decode-entities.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import { normalizeEmail } from './normalize-email.ts';
import { scanSpelledOut } from './spelled-out-email.ts';

const MAX_VALUE_LENGTH = 600;
const USER_KEYS =
  /^data-(?:e?-?mail-?)?(?:user(?:name)?|local(?:-?part)?|u|box|mailbox|buzon|usuario|utente|casella|benutzer|postfach|konto|gebruiker|boite|part1|before)$/;
/** These keys may also name other things. */
const NAME_KEYS = /^data-(?:name|prefix|first)$|^data-e?-?mail-?name$/;
const DOMAIN_KEYS =
  /^data-(?:e?-?mail-?)?(?:domain|dominio|domaine|domein|domena|doman|domene|host|d|server|website|site|part2|after|at)$/;
const SUFFIX_KEYS = /^data-(?:e?-?mail-?)?(?:tld|suffix|ext|extension|part3|end)$/;
const MAIL_KEYS =
  /mail|contact|addr|href|recipient|enc|obf|protect|hash|crypt|b64|base64|rot|rev|^data-(?:e|m|to|a|c|value|content|text|link|url|token)$/;

const WHOLE_DOMAIN = /^(?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,24}$/;
const LOCAL_PART = /^[a-z][a-z0-9._+-]{0,63}$/;

const ROT13_CLASS = /(?:^|[\s_-])rot-?13(?:$|[\s_-])/i;
const REVERSED_CLASS = /(?:^|[\s_-])(?:rev|reversed?|rtl|backwards?)(?:$|[\s_-])/i;

/** Addresses hidden in an element's attributes. */
export function attributeEmails(element: HtmlElement): string[] {
  const { attribs } = element;
  const entries = Object.entries(attribs);
  const hasData = entries.some(([key]) => key.startsWith('data-'));
  const found: (string | null)[] = hasData ? [pairedEmail(attribs) ?? splitEmail(element)] : [];
  for (const [key, written] of entries) {
    const value = written.trim();
    if (value === '' || value.length > MAX_VALUE_LENGTH) continue;
    if (key === 'href') found.push(...linkEmails(value));
    else if (key.startsWith('data-') && key !== 'data-cfemail') {
      found.push(MAIL_KEYS.test(key) ? valueEmail(key, value) : base64Email(value));
    }
  }
  if (element.name.includes('-')) found.push(...customElementEmails(element));
  found.push(...classEmails(element));
  return found.filter((email) => email !== null);
}

/** `data-user="jane" data-domain="acme.de"`, with or without `data-tld`. */
function pairedEmail(attribs: Readonly<Record<string, string>>): string | null {
  const find = (keys: RegExp): string =>
    Object.entries(attribs)
      .find(([key]) => keys.test(key))?.[1]
      .trim() ?? '';
  const domain = find(DOMAIN_KEYS);
  const suffix = find(SUFFIX_KEYS).replace(/^\./, '');
  const name = find(NAME_KEYS);
  const isLocalPart = suffix !== '' || isNoOwner(name, domain);
  const user = find(USER_KEYS) || (isLocalPart ? name : '');
  if (
    user === '' ||
    domain === '' ||
    /[\s@]/.test(user) ||
    domain.includes('/') ||
    domain.length + user.length > 250
  )
    return null;
  const host = suffix === '' ? domain.replace(/^@/, '') : `${domain.replace(/^@/, '')}.${suffix}`;
  const plain = normalizeEmail(`${user}@${host}`);
  if (plain !== null) return plain;
  return normalizeEmail(`${reversedText(user)}@${reversedText(host)}`);
}

/**
 * `<a class="mail" data-naam="jane" data-bij="acme.nl">`: the parts of an address under any names, in an element that
 * leads nowhere else.
 */
function splitEmail({ name, attribs }: HtmlElement): string | null {
  const data = Object.entries(attribs).filter(([key]) => key.startsWith('data-'));
  const href = attribs['href'] ?? '#';
  if (data.length !== 2 || !/^(?:a|span)$/.test(name) || !/^(?:#|javascript:.*)?$/i.test(href)) {
    return null;
  }
  const values = data.map(([, value]) => value.trim().toLowerCase());
  const domain = values.find((value) => WHOLE_DOMAIN.test(value) && registrableDomain(value));
  const local = values.find((value) => value !== domain);
  if (domain === undefined || local === undefined || !LOCAL_PART.test(local)) return null;
  return normalizeEmail(`${local}@${domain}`);
}

/** A name next to a domain may be that of the domain's owner: then it is not lower case, or equals the domain. */
function isNoOwner(name: string, domain: string): boolean {
  return /^[a-z0-9][a-z0-9._-]*$/.test(name) && !domain.includes(name);
}

function linkEmails(href: string): (string | null)[] {
  const typo3 = /^javascript:linkTo_UnCryptMailto\(['"]([^'"]{8,300})['"]/i.exec(
    decodePercent(href),
  );
  if (typo3?.[1] !== undefined) return [normalizeEmail(decodeTypo3Mail(typo3[1]) ?? '')];
  if (/^znvygb:/i.test(href)) return [normalizeEmail(decodeRot13(href))];
  const mail = /^mailto:(?:\/\/)?([^?]*)/i.exec(href)?.[1];
  if (mail !== undefined && normalizeEmail(mail) === null) return [disguised(decodePercent(mail))];
  const fragment = /#([A-Za-z0-9+/_=-]{12,})$/.exec(href)?.[1];
  if (fragment !== undefined && !href.includes('/email-protection#'))
    return [base64Email(fragment)];
  return [];
}

function valueEmail(key: string, value: string): string | null {
  if (key === 'data-mailto-token') return normalizeEmail(decodeTypo3Mail(value) ?? '');
  const text = decodePercent(value);
  if (/rot/.test(key) || /^znvygb:/i.test(text)) return normalizeEmail(decodeRot13(text));
  if (/rev/.test(key)) return normalizeEmail(reversedText(text));
  return normalizeEmail(text) ?? disguised(text);
}

/** Decodes a whole value in brackets, base64, entities, reversed or rot13. */
function disguised(text: string): string | null {
  if (text.includes('&')) {
    const decoded = normalizeEmail(decodeEntities(text));
    if (decoded !== null) return decoded;
  }
  const [spelled] = scanSpelledOut(text.replaceAll('\n', ' '));
  if (spelled !== undefined) return spelled;
  if (!text.includes('@')) return base64Email(text);
  return normalizeEmail(reversedText(text));
}

function base64Email(text: string): string | null {
  const decoded = decodeBase64(text);
  if (decoded === null) return null;
  return decoded.includes('@') ? normalizeEmail(decoded) : null;
}

/** `<joomla-hidden-mail text="…">`: base64 for a script that defines the element. */
function customElementEmails({ attribs }: HtmlElement): (string | null)[] {
  return Object.values(attribs)
    .filter((value) => value.length <= MAX_VALUE_LENGTH)
    .map(base64Email);
}

/** Values decoded by a script that finds the element by its class. */
function classEmails(element: HtmlElement): (string | null)[] {
  const classes = element.attribs['class'] ?? '';
  const isFlagged = /^(?:|true)$/.test(element.attribs['data-rot13'] ?? 'no');
  const isRot13 = isFlagged || ROT13_CLASS.test(classes);
  if (!isRot13 && !REVERSED_CLASS.test(classes)) return [];
  const turn = isRot13 ? decodeRot13 : reversedText;
  const held = Object.entries(element.attribs)
    .filter(([key]) => key.startsWith('data-') || key === 'title')
    .map(([, value]) => value);
  return [rawText(element).trim(), ...held]
    .filter((text) => text.includes('@') && text.length <= MAX_VALUE_LENGTH)
    .map((text) => normalizeEmail(turn(text)));
}
