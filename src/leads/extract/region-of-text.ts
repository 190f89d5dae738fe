/** English is the language of many countries: postal codes tell which. */
const MANY = '';
/** Words that tell a language from its neighbours, by the country that writes most pages in it. */
const WORDS: Readonly<Record<string, string>> = {
  [MANY]:
    'the and of to is for on with our we are at by from this that be you your or as it an has was were which monday tuesday wednesday thursday friday saturday street phone',
  DE: 'und der die das den dem nicht ist mit für von wir ihr eine einen auf auch oder zum zur uns unser unsere sie werden bei montag dienstag mittwoch donnerstag freitag samstag uhr straße öffnungszeiten',
  NL: 'het een van voor met wij ons onze niet zijn bij ook naar uw deze wordt worden maandag dinsdag woensdag donderdag vrijdag zaterdag uur',
  DK: 'og af til ikke er vi det på med os vores fra kan efter hver åbent mandag tirsdag onsdag torsdag fredag lørdag søndag kl tlf nye bliver hvor åbningstider',
  NO: 'og av til ikke er vi det på med oss våre vår fra kan etter hver åpent mandag tirsdag onsdag torsdag fredag lørdag søndag kl tlf nye blir hvor åpningstider',
  SE: 'och av till inte är vi det på med för oss vår våra från kan efter varje öppet måndag tisdag onsdag torsdag fredag lördag söndag kl nya blir ett öppettider',
  FI: 'ja on ei se että ovat tai sekä myös meidän kun joka puh klo maanantai tiistai keskiviikko torstai perjantai lauantai avoinna',
  FR: 'le la les des et du une pour dans nous vous est sur avec par au aux notre votre nos lundi mardi mercredi jeudi vendredi samedi tél rue',
  ES: 'el la los las de una para con por del nuestro nuestra su en que es al lunes martes miércoles jueves viernes sábado calle teléfono',
  PT: 'os as uma para com por do da dos das nosso nossa em que ao não são às segunda terça quarta quinta sexta sábado rua telefone',
  IT: 'il la gli le di una per con del della dei nostro nostra che alla non sono dal al lunedì martedì mercoledì giovedì venerdì sabato via telefono',
  PL: 'na do się nie jest dla oraz od przez po nasz nasza są ul poniedziałek wtorek środa czwartek piątek sobota godz',
  CZ: 'na do se je pro nebo od jsme jsou také který náš naše pondělí úterý středa čtvrtek pátek sobota hodin ulice',
  SK: 'na do sa je pre alebo od sme sú tiež ktorý náš naše pondelok utorok streda štvrtok piatok sobota hodín ulica',
  HU: 'az és is egy nem hogy van meg vagy nálunk hétfő kedd szerda csütörtök péntek szombat utca óra',
  RO: 'și în la cu pe este din pentru nu sau noastră luni marți miercuri joi vineri sâmbătă strada str',
  HR: 'na za je se od su ili naš naša ponedjeljak utorak srijeda četvrtak petak subota ulica',
  TR: 've bir bu için ile olarak olan pazartesi salı çarşamba perşembe cuma cumartesi cad sok',
};
/** Letters and numbers of registers that only one country has, and scripts. */
const SIGNS: Readonly<Record<string, RegExp>> = {
  DE: /ß|\bUSt-?Id(?:Nr)?\b|\bIBAN:? ?DE\d\d/gu,
  AT: /\bATU ?\d{8}|\bFN \d{5,6} ?[a-z]\b|\bIBAN:? ?AT\d\d/gu,
  CH: /\bCHE-\d{3}|\bIBAN:? ?CH\d\d/gu,
  NL: /\bKvK\b|\bIBAN:? ?NL\d\d/giu,
  DK: /\bCVR\b|\bIBAN:? ?DK\d\d/gu,
  NO: /\bIBAN:? ?NO\d\d|\bNO ?\d{3} ?\d{3} ?\d{3} ?MVA/gu,
  SE: /\b(?:bankgiro|plusgiro|organisationsnummer)\b|\bSE\d{12}\b/giu,
  FI: /\bY-tunnus\b|\bIBAN:? ?FI\d\d/giu,
  FR: /œ|\b(?:SIRET|SIREN|RCS)\b|\bFR\d\d ?\d{4} ?\d{4} ?\d{4}/gu,
  ES: /ñ|¿|\bIBAN:? ?ES\d\d|\bES\d\d ?\d{4} ?\d{4} ?\d{2}/gu,
  PT: /[ãõ]|\bNIPC\b/gu,
  IT: /\bP\. ?IVA\b|\bpartita iva\b/giu,
  PL: /[łąęż]|\b(?:NIP|REGON|KRS)\b/gu,
  CZ: /[ěřů]|\bIČO?\b/gu,
  SK: /[ľĺŕ]/gu,
  HU: /[őű]/gu,
  RO: /[țţă]|\bCUI\b/gu,
  HR: /\bOIB\b/gu,
  TR: /[ğı]/gu,
  GR: /[\u0370-\u03FF]{3}/gu,
  IL: /[\u05D0-\u05EA]{3}/gu,
  TH: /[\u0E00-\u0E7F]{3}/gu,
  KR: /[\uAC00-\uD7AF]{2}/gu,
  JP: /[\u3040-\u30FF]/gu,
  UA: /[іїє]/gu,
  BG: /ът(?![а-я])/gu,
  RU: /[ыэ]/gu,
};
/** Countries that share a language with the one that writes most pages in it. */
const SHARED: Readonly<Record<string, string>> = {
  AT: 'DE',
  BE: 'NL FR DE',
  BR: 'PT',
  BY: 'RU',
  CA: 'FR',
  CH: 'DE FR IT',
  CY: 'GR TR',
  KZ: 'RU',
  LI: 'DE',
  LU: 'DE FR',
  MD: 'RO',
  ...Object.fromEntries(
    'AR BO CL CO CR CU DO EC GT HN MX NI PA PE PR PY SV UY VE'.split(' ').map((one) => [one, 'ES']),
  ),
};
/** They have German words, and registers of their own. */
const GERMAN_SPEAKING = ['AT', 'CH'];
/** Postal codes of countries whose pages are in English. */
const POSTAL_CODES: Readonly<Record<string, RegExp>> = {
  GB: /\b[A-PR-UWYZ][A-HK-Y]?\d[A-HJKPS-Y\d]? \d[ABD-HJLNP-UW-Z]{2}\b/gu,
  IE: /\b(?:[AC-FHKNPRTV-Y]\d\d|D6W) [\dAC-FHKNPRTV-Y]{4}\b/gu,
  US: /, (?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]) \d{5}(?:-\d{4})?\b/gu,
  CA: /\b[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z] \d[ABCEGHJ-NPRSTV-Z]\d\b/gu,
  AU: /\b(?:NSW|VIC|QLD|SA|WA|TAS|NT|ACT),? \d{4}\b/gu,
};
/** They are not enough alone: many sites sell to other countries. */
const CURRENCIES: Readonly<Record<string, RegExp>> = {
  GB: /£ ?\d/u,
  IE: /€ ?\d/u,
  US: /(?<!\p{L})\$ ?\d/u,
  CA: /\b(?:CAD|C\$|CA\$)/u,
  AU: /\b(?:AUD|A\$|AU\$)/u,
};
const SIGN_WORTH = 2;
const MAX_SIGNS = 3;
const MAX_WORDS = 2_000;
const MIN_WORTH = 4;
/** The best must be this much better than the second. */
const MARGIN = 1.3;
/** What the site's other pages tell counts as much as a few words. */
const SITE_WORTH = 6;

const countriesOf = new Map<string, string[]>();
for (const [country, words] of Object.entries(WORDS)) {
  for (const word of words.split(' ')) {
    countriesOf.set(word, [...(countriesOf.get(word) ?? []), country]);
  }
}

/**
 * The country whose language a text is in, by its most frequent words, its letters, and numbers of national registers,
 * or for English its postal codes; null when the text is too short or has none.
 * @param regionOfSite that of the site's other pages, unless the text clearly has another
 */
export function regionOfText(text: string, regionOfSite: string | null = null): string | null {
  const worth = new Map<string, number>();
  if (regionOfSite !== null) worth.set(regionOfSite, SITE_WORTH);
  const add = (country: string, more: number): void => {
    worth.set(country, (worth.get(country) ?? 0) + more);
  };
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  for (const word of words.slice(0, MAX_WORDS)) {
    for (const country of countriesOf.get(word) ?? []) add(country, 1);
  }
  for (const [country, sign] of Object.entries(SIGNS)) {
    const count = text.match(sign)?.length ?? 0;
    add(country, SIGN_WORTH * Math.min(count, MAX_SIGNS));
  }
  for (const country of GERMAN_SPEAKING) {
    if ((worth.get(country) ?? 0) === 0) continue;
    add(country, worth.get('DE') ?? 0);
    worth.delete('DE');
  }
  for (const language of SHARED[regionOfSite ?? '']?.split(' ') ?? []) {
    add(regionOfSite ?? '', worth.get(language) ?? 0);
    worth.delete(language);
  }
  const [best, second] = [...worth].toSorted((a, b) => b[1] - a[1]);
  if (!best || best[1] < MIN_WORTH) return regionOfPostalCodes(text);
  const isSure = !second || best[1] >= second[1] * MARGIN;
  if (!isSure) return null;
  return best[0] === MANY ? regionOfPostalCodes(text) : best[0];
}

/** The country most of whose postal codes a text in English has. */
function regionOfPostalCodes(text: string): string | null {
  const counts = Object.entries(POSTAL_CODES).map(([country, code]) => {
    const codes = new Set(text.match(code) ?? []).size;
    const isPaid = codes > 0 && CURRENCIES[country]?.test(text) === true;
    return { country, worth: codes === 0 ? 0 : Math.min(codes, MAX_SIGNS) + (isPaid ? 1 : 0) };
  });
  const [best, second] = counts.toSorted((a, b) => b.worth - a.worth);
  if (!best || best.worth === 0 || best.worth < (second?.worth ?? 0) * MARGIN) return null;
  return best.country;
}
