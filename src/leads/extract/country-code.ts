import { getCountries, isSupportedCountry } from 'libphonenumber-js/max';

/** Languages in which web sites commonly write the name of their country. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'sv', 'da', 'cs', 'ja', 'tr'];
const OTHER_NAMES: [name: string, code: string][] = [
  ['usa', 'US'],
  ['u.s.a.', 'US'],
  ['united states of america', 'US'],
  ['uk', 'GB'],
  ['great britain', 'GB'],
  ['england', 'GB'],
  ['scotland', 'GB'],
  ['wales', 'GB'],
  ['the netherlands', 'NL'],
  ['holland', 'NL'],
  ['czech republic', 'CZ'],
];

let codes: ReadonlyMap<string, string> | null = null;

/** ISO 3166-1 alpha-2 code of a country given as a code or by name; null when unknown. */
export function countryCodeOf(country: string): string | null {
  const written = country.trim();
  if (written.length > 60 || written.length < 2) return null;
  const code = written.toUpperCase();
  if (isSupportedCountry(code)) return code;
  codes ??= namesOfCountries();
  return codes.get(written.toLowerCase()) ?? null;
}

function namesOfCountries(): Map<string, string> {
  const names = new Map(OTHER_NAMES);
  for (const language of LANGUAGES) {
    const display = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
    for (const code of getCountries()) {
      const name = display.of(code)?.toLowerCase();
      if (name !== undefined && !names.has(name)) names.set(name, code);
    }
  }
  return names;
}
