import type { OpenedPage } from '#src/files/open-page.ts';

/** What is known of a page before it is read. */
export interface PageFacts {
  /** Absolute. */
  url: string;
  /** As stated by the page: `de`, `de-AT`. */
  language: string;
  page: OpenedPage;
}

/** Country domains that are sold to everyone, and domains that belong to no country. */
const NO_COUNTRY = new Set(
  'ac ag ai am as bz cc cd co cx dj eu fm gd gg gl gs im io ki la lc ly me ms mu mn nu pn pw sc sh sr st su tc tf tk tm to tv vc vg vu ws'.split(
    ' ',
  ),
);
const OTHER_CODES: ReadonlyMap<string, string> = new Map([
  ['uk', 'GB'],
  ['xn--p1ai', 'RU'],
  ['xn--j1amh', 'UA'],
  ['xn--90ais', 'BY'],
  ['xn--90ae', 'BG'],
  ['xn--qxam', 'GR'],
  ['xn--fiqs8s', 'CN'],
  ['xn--fiqz9s', 'CN'],
  ['xn--j6w193g', 'HK'],
  ['xn--kprw13d', 'TW'],
  ['xn--3e0b707e', 'KR'],
  ['xn--o3cw4h', 'TH'],
  ['xn--mgberp4a5d4ar', 'SA'],
  ['xn--mgbaam7a8h', 'AE'],
]);
const MAIN_COUNTRIES: ReadonlyMap<string, string> = new Map(
  (
    'de:DE fr:FR it:IT es:ES pt:PT nl:NL pl:PL cs:CZ sk:SK sl:SI hr:HR sr:RS bs:BA mk:MK sq:AL bg:BG ro:RO hu:HU el:GR tr:TR ru:RU ' +
    'uk:UA be:BY sv:SE da:DK nb:NO nn:NO no:NO fi:FI is:IS et:EE lv:LV lt:LT he:IL iw:IL fa:IR hi:IN th:TH vi:VN id:ID ms:MY ' +
    'ja:JP ko:KR zh:CN ka:GE hy:AM az:AZ kk:KZ ca:ES eu:ES gl:ES cy:GB ga:IE mt:MT lb:LU'
  )
    .split(' ')
    .map((pair) => {
      const [language = '', country = ''] = pair.split(':');
      return [language, country] as const;
    }),
);
const LOCALE = /^([a-z]{2,3})(?:[-_][a-z]{4})?(?:[-_]([a-z]{2})(?![a-z]))?/i;

/**
 * ISO 3166-1 alpha-2 code of the country whose numbers a page writes without a country code: from its domain, its
 * language tag, or the main country of its language; null when none of these tells.
 */
export function regionOf({ url, language, page }: PageFacts): string | null {
  const metas = ['og:locale', 'content-language'].map((name) => page.metas.get(name) ?? '');
  const locales = [page.language, language, ...metas];
  return (
    countryOfHost(URL.parse(url)?.hostname ?? '') ??
    first(locales, (locale) => LOCALE.exec(locale.trim())?.[2]?.toUpperCase() ?? null) ??
    first(locales, (locale) => {
      const tag = LOCALE.exec(locale.trim())?.[1]?.toLowerCase() ?? '';
      return MAIN_COUNTRIES.get(tag) ?? null;
    })
  );
}

function countryOfHost(host: string): string | null {
  const suffix = host.replace(/\.$/, '').split('.').at(-1) ?? '';
  const other = OTHER_CODES.get(suffix);
  if (other !== undefined) return other;
  return /^[a-z]{2}$/.test(suffix) && !NO_COUNTRY.has(suffix) ? suffix.toUpperCase() : null;
}

function first(locales: readonly string[], read: (locale: string) => string | null): string | null {
  for (const locale of locales) {
    const country = read(locale);
    if (country !== null) return country;
  }
  return null;
}
