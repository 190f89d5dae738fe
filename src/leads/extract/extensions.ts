import { countryOfPhone, normalizePhone } from './normalize-phone.ts';
import { namesOtherOffice } from './other-offices.ts';

/** Countries where an extension is dialled right after the number of the house. */
const DIALLED_THROUGH = new Set(['DE', 'AT']);
const WORDS =
  'durchwahl(?:en|nummern?)?|durchw\\.?|dw\\.?|klappen?|kl\\.|apparat|app\\.|nebenstellen?|nst\\.?';
/** The same in languages of other countries, where a page must say that the extension follows the number of the house. */
const WORDS_ELSEWHERE =
  'poste|extensions?|ext\\.?|extensi[oó]n(?:es)?|anexo|interno|extens[aã]o|ramal|toestel(?:nummer)?|lokalnummer|lokalnr\\.?|anknytning(?:snummer)?|internnummer|alanumero|wewn[eę]trzny\\p{L}*|wew\\.|link[ay]|klapk[ay]|mell[eé]k(?:[aá]llom[aá]s)?|interior|dahili';
const FOLLOWS = new RegExp(
  `^[ ,;]{0,3}(?:suivi|followed|seguid[oa]|seguito|gevolgd|efterfulgt|etterfulgt|följt|plus|ja perään|a następnie|a za n[ií]m|majd)(?!\\p{L})[\\p{L} .’'°]{0,24}?(?<!\\p{L})(?:${WORDS_ELSEWHERE})(?!\\p{L})`,
  'iu',
);
const HEAD = new RegExp(
  `^(?:${WORDS}|${WORDS_ELSEWHERE})(?:[ .-]*(?:nr|no|n°|nº|number|nummer)\\.?)?$`,
  'iu',
);
const MENTION_ELSEWHERE = new RegExp(`(?<!\\p{L})(?:${WORDS_ELSEWHERE})(?!\\p{L})`, 'iu');
const MENTION = new RegExp(`(?<!\\p{L})(?:${WORDS})(?!\\p{L})`, 'iu');
const LABELLED = new RegExp(
  `(?<!\\p{L})(?:${WORDS})[ \\u00A0:]{0,3}[-–]?[ \\u00A0]?(\\d{1,4})(?![\\d/]|[.–-]\\d)`,
  'giu',
);
/** "-17" alone in a cell, a line or brackets; after "Tel." also "17". */
const BARE =
  /(?:(?<=^|[\t\n(|;,·])[ \u00A0]{0,3}[-–]|(?<!\p{L})(?:tel\.?|telefon|fon)[ \u00A0:]{1,3}[-–]?)[ \u00A0]?(\d{2,4})(?=[ \u00A0]{0,3}(?:[\t\n)|;,·]|$))/giu;
const BEHIND_NUMBER = new RegExp(
  `^[ ,/]{0,3}(?:${WORDS})[ :]{0,3}[-–]?[ ]?(\\d{1,4})(?!\\d)`,
  'iu',
);
const NUMBERS = /[+(]?\d[\d ()/.\u00A0\u2009\u2010-\u2014\u202F-]{5,40}/gu;
/** "4719-0": the zero is the switchboard's. */
const SWITCHBOARD = /[ \u00A0]?[-\u2010-\u2014/][ \u00A0]?0{1,2}[ \u00A0]?$/u;
/** "4719-110" */
const DESK = /^[+(]?(?:0|\d{2} ).*\d[ \u00A0]?[-\u2010-\u2014][ \u00A0]?(\d{2,4})$/u;
const OPEN = /[ \u00A0]?[-\u2010-\u2014][ \u00A0]?$/u;
const OPEN_SIGNS = /^(?:[.…]{1,3}|x{1,4}(?!\p{L})|[\s,;)]|$)/iu;
/** "Durchwahl wählen Sie nach 05272 61220", "05272 61220, dahinter die Durchwahl", "alle Durchwahlen unter 05272 / 61220" */
const DIALLED_AFTER =
  /(?<!\p{L})(?:nach|hinter|(?:alle )?(?:durchwahlen|nebenstellen|klappen)(?: \([^()]{1,12}\))?,? (?:unter|über|zu|von))[ \u00A0]$/iu;
const DIALLED_BEFORE = new RegExp(
  `^[ ,;.(–-]{0,3}(?:\\+ ?|plus |und |mit |(?:dahinter|danach|dann|anschließend|gefolgt von)(?: die| der| Ihre[nr]?)? )?(?:${WORDS})(?![ :-]{0,4}\\d)`,
  'iu',
);
/** "Extensions are direct: put 0117 496 in front" */
const IN_FRONT =
  /^[ "”]{1,2}(?:in front|before(?: it| them)?|first|devant|delante|antes|prima|davanti|ervoor|foran|framför|före|eteen|z przodu|na początku|elé|în față)(?!\p{L})/iu;
const LONGEST_MENTION = 60;
const LONGEST_ETENSION = 5;
/** "Fax DW", "Fax der Amtsleitung: DW" */
const FA_BEFORE = /fa(?:x|ks)[^\d\n\t.,;]{0,40}$/iu;
const MA_NUMBERS = 200;
const MA_FOUND = 300;

/** The number of a house, to which extensions are added. */
export interface Trunk {
  /** In E.164. */
  number: string;
  /** The only length of its extensions; null when it has others, too. */
  digits: number | null;
}

export interface FoundExtension {
  /** The whole number. */
  phone: string;
  written: string;
  /** Offset in the text. */
  at: number;
}

/**
 * The number of a house, to which the page's extensions are added; null when the page has no extensions, or shows the
 * numbers of several houses. A page without the number of the switchboard may show those of desks: "4719-110" and
 * "-112".
 * @param site its name, and the trunk of its earlier pages, for a page that shows none
 */
export function trunkIn(
  text: string,
  region: string | null,
  site: { siteName: string; trunk: Trunk | null } = { siteName: '', trunk: null },
): Trunk | null {
  if (region === null) return null;
  if (!DIALLED_THROUGH.has(region)) return trunkThatFollows(text, region);
  if (!MENTION.test(text)) return null;
  const trunks = new Set<string>();
  const ofDesks = new Set<string>();
  let left = MA_NUMBERS;
  for (const { 0: found, index } of text.matchAll(NUMBERS)) {
    left -= 1;
    if (left < 0) return null;
    const run = found.replace(/[ .\u00A0]+$/u, '');
    const before = text.slice(Math.max(0, index - LONGEST_MENTION), index);
    const after = text.slice(index + run.length, index + run.length + 30);
    const base = trunkOf(run, before, after);
    const clause = before.split(/\n|[.;] (?=\p{Lu})/u).at(-1) ?? '';
    if (base !== null && namesOtherOffice(clause, site.siteName)) continue;
    const whole = base === null ? null : normalizePhone(`${base}0`, region, 'marked');
    if (whole !== null) trunks.add(whole.slice(0, -1));
    const desk = DESK.exec(run)?.[1];
    const ofDesk = desk === undefined ? null : normalizePhone(run, region, 'marked');
    if (desk !== undefined && ofDesk?.endsWith(desk)) {
      ofDesks.add(`${desk.length} ${ofDesk.slice(0, -desk.length)}`);
    }
  }
  const [number, ...others] = trunks;
  if (number === undefined) return trunkOfDesks([...ofDesks]) ?? site.trunk;
  return others.length === 0 ? { number, digits: null } : null;
}

/** "Dial 04 65 71 followed by the extension", in countries where extensions are else dialled after a pause. */
function trunkThatFollows(text: string, region: string): Trunk | null {
  if (!MENTION_ELSEWHERE.test(text)) return null;
  for (const { 0: found, index } of [...text.matchAll(NUMBERS)].slice(0, MA_NUMBERS)) {
    const run = found.replace(/[^\d)]+$/u, '');
    const behind = text.slice(index + run.length, index + run.length + 60);
    const before = text.slice(Math.max(0, index - LONGEST_MENTION), index);
    const isInFront = IN_FRONT.test(behind) && MENTION_ELSEWHERE.test(before);
    if (!isInFront && !FOLLOWS.test(behind)) continue;
    for (let digits = 1; digits <= LONGEST_ETENSION; digits += 1) {
      const whole = normalizePhone(run + '0'.repeat(digits), region, 'text');
      if (whole !== null) return { number: whole.slice(0, -digits), digits };
    }
  }
  return null;
}

function trunkOfDesks([only, ...others]: readonly string[]): Trunk | null {
  if (only === undefined || others.length > 0) return null;
  const [digits = '', number = ''] = only.split(' ');
  return { number, digits: Number(digits) };
}

/** The part of a written number to which extensions are added; null when it is a whole number. */
function trunkOf(run: string, before: string, after: string): string | null {
  if (SWITCHBOARD.test(run)) return run.replace(SWITCHBOARD, '');
  if (OPEN.test(run) && OPEN_SIGNS.test(after)) return run.replace(OPEN, '');
  const isOpen = DIALLED_AFTER.test(before) || DIALLED_BEFORE.test(after);
  return isOpen ? run.replace(/[^\d)]+$/u, '') : null;
}

/** The extensions in a text: after a word for them, or alone after a hyphen. */
export function extensionsIn(text: string, trunk: Trunk): FoundExtension[] {
  return [...text.matchAll(LABELLED), ...text.matchAll(BARE)]
    .slice(0, MA_FOUND)
    .filter(({ 1: digits = '' }) => trunk.digits === null || digits.length === trunk.digits)
    .filter(({ index }) => !FA_BEFORE.test(text.slice(Math.max(0, index - 50), index)))
    .flatMap(({ 0: written, 1: digits = '', index: at }) => {
      const phone = normalizePhone(trunk.number + digits, null, 'marked');
      return phone === null ? [] : [{ phone, written, at }];
    });
}

/** Whether the header of a table's column announces extensions. */
export function namesExtensions(header: string): boolean {
  return HEAD.test(header.trim());
}

/** A number with the extension that follows it: "05272 61220 DW 16". */
export function withExtension(phone: string, written: string, after: string): string {
  const digits = BEHIND_NUMBER.exec(after)?.[1];
  if (digits === undefined || !DIALLED_THROUGH.has(countryOfPhone(phone) ?? '')) return phone;
  const zeros = SWITCHBOARD.exec(written)?.[0].match(/0/g)?.length ?? 0;
  const trunk = phone.slice(0, phone.length - zeros);
  return normalizePhone(trunk + digits, null, 'marked') ?? phone;
}
