import { load } from 'cheerio';
import iconv from 'iconv-lite';

/**
 * One file in every way that a patient reader could read it: raw, without markup, and with every common obfuscation
 * removed. Deliberately broad, because it only tests whether a labelled fact is in the file at all.
 */
export interface FileReadings {
  texts: string[];
  /** The texts without separators between the digits of phone numbers. */
  digits: string[];
}

/** The maximum distance between two parts of one fact, such as two names in JSON. */
const NEAR_CHARACTERS = 400;

/** A local number of at least this length counts as complete except for its area code. */
const LOCAL_DIGITS = 7;

export function readingsOf(bytes: Buffer, contentType: string): FileReadings {
  const raw = decoded(bytes, contentType).normalize('NFKC');
  const plain = withoutEntities(unescaped(raw)).normalize('NFKC');
  const bare = plain.replaceAll(/<!--[^]*?-->|<[^<>]*>/g, '');
  const spaced = plain.replaceAll(/<!--[^]*?-->|<[^<>]*>/g, ' ');
  const base = [raw, plain, bare, spaced, unfolded(raw), ...hiddenTexts(plain)];
  const disguised = base.flatMap((text) => [withSigns(text), rotated(text), reversed(text)]);
  const texts = [...new Set([...base, ...disguised].map(collapsed))];
  return { texts, digits: texts.map(joinedDigits) };
}

export function standsIn({ texts }: FileReadings, fact: string): boolean {
  const wanted = collapsed(fact.normalize('NFKC')).toLowerCase();
  return texts.some((text) => text.toLowerCase().includes(wanted));
}

/** Whether all parts are near the first occurrence of one of them. */
export function partsStandIn({ texts }: FileReadings, parts: readonly string[]): boolean {
  const wanted = parts.map((part) => part.normalize('NFKC').toLowerCase());
  return texts.some((text) => {
    const lower = text.toLowerCase();
    return placesOf(lower, wanted[0] ?? '').some((place) => {
      const start = Math.max(0, place - NEAR_CHARACTERS);
      const window = lower.slice(start, place + NEAR_CHARACTERS);
      return wanted.every((part) => window.includes(part));
    });
  });
}

export function digitsStandIn({ digits }: FileReadings, number: string): boolean {
  return digits.some((text) => text.includes(number));
}

/**
 * Whether a number is there in full, without its area code, or as a common prefix and an extension ("66969-0, room 12:
 * -101").
 */
export function phoneStandsIn(file: FileReadings, national: string): boolean {
  if (digitsStandIn(file, national)) return true;
  if (national.length > LOCAL_DIGITS && digitsStandIn(file, national.slice(-LOCAL_DIGITS)))
    return true;
  return [2, 3, 4].some((length) => {
    const extension = new RegExp(`(?<!\\d)${national.slice(-length)}(?!\\d)`);
    return (
      digitsStandIn(file, national.slice(0, -length)) &&
      file.texts.some((text) => extension.test(text))
    );
  });
}

function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  let place = part === '' ? -1 : text.indexOf(part);
  while (place !== -1) {
    places.push(place);
    place = text.indexOf(part, place + part.length);
  }
  return places;
}

function decoded(bytes: Buffer, contentType: string): string {
  const head = `${contentType} ${bytes.subarray(0, 2_048).toString('latin1')}`;
  const charset = /charset=["']?([a-z0-9_-]+)/i.exec(head)?.[1] ?? 'utf-8';
  return iconv.decode(bytes, iconv.encodingExists(charset) ? charset : 'utf-8');
}

/** The parser decodes the entities of a title and takes its tags for text. */
function withoutEntities(text: string): string {
  const title = text.replaceAll(/<(?=\/title)/gi, '&lt;');
  return load(`<title>${title}</title>`)('title').text();
}

function unescaped(text: string): string {
  return text
    .replaceAll(/\\u([0-9a-f]{4})|\\x([0-9a-f]{2})/gi, (_, wide: string, narrow: string) =>
      String.fromCharCode(Number.parseInt(wide ?? narrow, 16)),
    )
    .replaceAll(/\\(["'/])/g, '$1')
    .replaceAll('\\n', '\n')
    .replaceAll(/["']\s*\+\s*["']/g, '');
}

/** Decodes folded lines and quoted-printable letters of a vCard. */
function unfolded(text: string): string {
  const lines = text.replaceAll(/\r?\n[ \t]|=\r?\n/g, '');
  return lines.replaceAll(/(?:=[0-9A-F]{2})+/g, (run) =>
    Buffer.from(run.replaceAll('=', ''), 'hex').toString('utf8'),
  );
}

function hiddenTexts(text: string): string[] {
  const percent = text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
  );
  const codes = [...text.matchAll(/fromCharCode\(([\d\s,]+)\)/g)].map(([, list = '']) =>
    String.fromCharCode(...list.split(',').map(Number)),
  );
  const base64 = [...text.matchAll(/[A-Za-z0-9+/]{8,}={0,2}/g)]
    .map(([run]) => Buffer.from(run, 'base64').toString('utf8'))
    .filter((found) => /^[\p{L}\p{N}\p{P}\p{S}\s]+$/u.test(found));
  const guarded = [...text.matchAll(/(?:data-cfemail=["']?|email-protection#)([0-9a-f]{6,})/gi)];
  const shifts = [...text.matchAll(/UnCryptMailto\(\s*'([^']+)'/g)].flatMap(([, letters = '']) =>
    shifted(letters),
  );
  const opened = guarded.map(([, hex = '']) => unguarded(hex));
  return [percent, ...codes, base64.join(' '), ...opened, ...shifts];
}

/** TYPO3's obfuscation: every character is shifted within its own range. All distances are tried. */
function shifted(letters: string): string[] {
  const ranges = ['+,-./0123456789:', '@ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'];
  return Array.from({ length: 27 }, (_, distance) =>
    Array.from(letters, (letter) => {
      const range = ranges.find((one) => one.includes(letter)) ?? letter;
      return range.at((range.indexOf(letter) - distance) % range.length) ?? letter;
    }).join(''),
  );
}

/** Cloudflare's obfuscation: the first byte is a key with which every other byte is XORed. */
function unguarded(hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  return Buffer.from(bytes.subarray(1).map((byte) => byte ^ (bytes[0] ?? 0))).toString('utf8');
}

function withSigns(text: string): string {
  return text
    .replaceAll(/\s*[[({<_]\s*(?:at|ät|arroba|chiocciola|zavináč|@)\s*[\])}>_]\s*/gi, '@')
    .replaceAll(/\s*[[({<_]\s*(?:dot|punkt|punto|point|tečka|nokta|\.)\s*[\])}>_]\s*/gi, '.');
}

function rotated(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) => {
    const first = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first);
  });
}

function reversed(text: string): string {
  return Array.from(text).toReversed().join('');
}

function collapsed(text: string): string {
  return text.replaceAll(/[\u00ad\u200b-\u200d\u2060\ufeff]/g, '').replaceAll(/\s+/g, ' ');
}

function joinedDigits(text: string): string {
  return text.replaceAll(/(?<=\d)[\s().,/\-\u2010-\u2015·+]+(?=\d)/g, '');
}
