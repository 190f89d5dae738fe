import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { PlacedCard } from './own-organization.ts';

interface KnownNumber {
  phone: string;
  country: string;
  national: string;
  isMobile: boolean;
}

/** First digits that a local number shares with a complete number of the site. */
const SHARED = 5;
const AREA_CODE = { shortest: 2, longest: 5 };
/** An extension may have more or fewer digits than that of the switchboard. */
const MAX_DIFFERENCE = 2;
/** Among more numbers, as directories have, some share digits by chance. */
const MAX_NUMBERS = 60;

/**
 * Completes local numbers by the area code of a number of the same exchange: "12345-214" on a site with
 * "(040) 12345-100". Without it, the first digits of a local number would count as an area code.
 */
export function addAreaCodes(placed: readonly PlacedCard[]): PlacedCard[] {
  const phones = [...new Set(placed.flatMap(({ card }) => card.phones))];
  if (phones.length > MAX_NUMBERS) return [...placed];
  const numbers = phones.flatMap((phone) => knownNumber(phone) ?? []);
  const completed = new Map<string, string>();
  for (const local of numbers) {
    const whole = numbers.find((other) => isOfExchange(local, other));
    if (whole === undefined) continue;
    const areaCode = whole.national.slice(0, areaCodeLength(local, whole));
    completed.set(local.phone, `+${local.country}${areaCode}${local.national}`);
  }
  if (completed.size === 0) return [...placed];
  return placed.map(({ card, ...rest }) => ({
    ...rest,
    card: {
      ...card,
      phones: [...new Set(card.phones.map((phone) => completed.get(phone) ?? phone))],
    },
  }));
}

function knownNumber(phone: string): KnownNumber | null {
  const parsed = parsePhoneNumberFromString(phone);
  if (parsed === undefined) return null;
  const { countryCallingCode: country, nationalNumber: national } = parsed;
  return { phone, country, national, isMobile: parsed.getType() === 'MOBILE' };
}

function isOfExchange(local: KnownNumber, whole: KnownNumber): boolean {
  if (whole.isMobile || local.isMobile || local.country !== whole.country) return false;
  const { length } = local.national;
  if (length <= SHARED || length >= whole.national.length) return false;
  const code = areaCodeLength(local, whole);
  if (code < AREA_CODE.shortest || code > AREA_CODE.longest) return false;
  const difference = whole.national.length - code - length;
  return Math.abs(difference) <= MAX_DIFFERENCE;
}

/** Length of the area code of the complete number; -1 if the other is not of its exchange. */
function areaCodeLength(local: KnownNumber, whole: KnownNumber): number {
  return whole.national.indexOf(local.national.slice(0, SHARED), 1);
}
