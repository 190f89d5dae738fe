import {
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';

/** Including the country code and everything that people put between the digits. */
const MAX_LENGTH = 60;
const MIN_NATIONAL_DIGITS = 5;
const MIN_DIGITS = 7;
/** Template placeholders. */
const PLACEHOLDER = /^(?:(\d)\1{5,}|0?123456789?0?|0?987654321?0?)$/;
/** `(555) 123-4567`, a format used only in North America. */
const NORTH_AMERICAN = /^(?:1[ .-]?)?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])\d{3}[ .-]\d{4}(?!\d)/;
/** The same format, for text without a phone label. */
export const WITH_AREA_CODE = /^\([2-9]\d{2}\) ?[2-9]\d{2}-\d{4}$/;
/** `1-800-FLOWERS`: letters on the phone keys. */
const VANITY = /^\+?[\d\s().-]{3,}[\s.-][a-z]{2,}[a-z\d-]*$/i;
/** A number with so many digits needs no letters. */
const WHOLE_DIGITS = 9;
const PUBLIC_SERVICES = /^\+(?:358295|4430)/;
const KEYS = '22233344455566677778889999';

/**
 * A phone number in E.164, without its extension.
 * @param region ISO 3166-1 alpha-2 code of the country for numbers without a country code
 * @param trust `marked`: stated to be a phone number, so it only has to be possible; `text`: it must be valid
 */
export function normalizePhone(
  text: string,
  region: string | null,
  trust: 'marked' | 'text',
): string | null {
  const written = plainNumber(text);
  if (written.length > MAX_LENGTH || !/\d/.test(written)) return null;
  for (const candidate of readings(written)) {
    const phone = parsed(candidate, region);
    if (phone && isGoodEnough(phone, trust)) return phone.number;
  }
  const form = trust === 'marked' ? NORTH_AMERICAN : WITH_AREA_CODE;
  if (region !== null || !form.test(written)) return null;
  const phone = parsed(written, 'US');
  return phone && isGoodEnough(phone, trust) ? phone.number : null;
}

function plainNumber(text: string): string {
  if (text.length > 4 * MAX_LENGTH) return '';
  let written = text.trim().replace(/^(?:tel|callto|sms|phone|fax):(?:\/\/)?/i, '');
  if (/%[0-9a-f]{2}/i.test(written))
    written = written.replace(/%2B/gi, '+').replace(/%[0-9a-f]{2}/gi, ' ');
  written = written
    .normalize('NFKC')
    .replace(/[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g, '')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\s+/g, ' ');
  const parameters = written.indexOf(';');
  if (parameters !== -1 && !/;phone-context=/i.test(written))
    written = written.slice(0, parameters);
  written = written.replace(/^\+{2,}/, '+');
  const isWhole = (written.match(/\d/g)?.length ?? 0) >= WHOLE_DIGITS;
  if (!isWhole && VANITY.test(written)) written = written.replace(/[a-z]/gi, keyOf);
  return written.trim();
}

function keyOf(letter: string): string {
  return KEYS[letter.toLowerCase().charCodeAt(0) - 97] ?? '';
}

/** First as written, then with a plus for `00`, which people also use in countries with another dialling prefix. */
function readings(written: string): string[] {
  const international = /^\(?00\s?(?=[1-9])/.exec(written);
  if (!international) return [written];
  return [written, `+${written.slice(international[0].length).replace(/^\)/, '')}`];
}

function parsed(written: string, region: string | null): PhoneNumber | undefined {
  const country = region?.toUpperCase() ?? '';
  return isSupportedCountry(country)
    ? parsePhoneNumberFromString(written, country)
    : parsePhoneNumberFromString(written);
}

function isGoodEnough(phone: PhoneNumber, trust: 'marked' | 'text'): boolean {
  const national = phone.nationalNumber;
  if (national.length < MIN_NATIONAL_DIGITS || phone.number.length - 1 < MIN_DIGITS) return false;
  if (PLACEHOLDER.test(national)) return false;
  return trust === 'marked' ? phone.isPossible() : phone.isValid();
}

/** ISO 3166-1 alpha-2 code of the country of an E.164 number; null for a shared calling code. */
export function countryOfPhone(phone: string): string | null {
  return parsed(phone, null)?.country ?? null;
}

/** Whether an E.164 number is of no place and no person: free to call, of shared cost, or a company's in a whole country. */
export function isServiceNumber(phone: string): boolean {
  const type = parsed(phone, null)?.getType();
  return type === 'TOLL_FREE' || type === 'SHARED_COST' || type === 'UAN';
}

/** Whether an E.164 number is in a range for authorities and charities: 029 5 in Finland, 030 in the United Kingdom. */
export function isPublicServiceNumber(phone: string): boolean {
  return PUBLIC_SERVICES.test(phone);
}
