import { plainLetters } from './role-lexicon.ts';

const LEGAL_FORMS = new Set(
  (
    'inc incorporated ltd limited llc llp lp plc corp corporation co company gmbh mbh ag kg kgaa ohg ug gbr ev eg ek se sarl sas sasu sa eurl ' +
    'snc scop srl srls spa sl slu sau lda ltda me eireli bv nv vof cv ab hb as asa aps oy oyj tmi ky sro sp zoo spzoo spolka kft zrt bt nyrt rt ' +
    'doo dd ood eood pty pte pvt kk yk sti limitada gesellschaft z oo ооо зао оао ао тов ип пао'
  ).split(' '),
);
const LEGAL_SIGNS =
  /株式会社|有限会社|合同会社|㈱|주식회사|㈜|有限公司|股份|ооо|зао|оао|тов|ип|ао/giu;

/** One key for all spellings of an organisation's name: without legal form, accents, punctuation and spaces. */
export function organizationKey(name: string): string {
  const words = plainLetters(name)
    .replaceAll('.', '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const kept = words.filter((word) => !LEGAL_FORMS.has(word));
  const joined = (kept.length > 0 ? kept : words).join('');
  return joined.replace(LEGAL_SIGNS, '') || joined;
}

/** Whether a name fits a domain: Acme Tools GmbH with acme-tools.de, acmetools.com, acme.io. */
export function resemblesDomain(name: string, domain: string): boolean {
  const label = plainLetters(domain.split('.')[0] ?? '').replace(/[^\p{L}\p{N}]+/gu, '');
  const german = name.replaceAll('ä', 'ae').replaceAll('ö', 'oe').replaceAll('ü', 'ue');
  return [name, german].map(organizationKey).some((key) => {
    if (key.length < 2 || label.length < 2) return false;
    if (key === label) return true;
    const [shorter, longer] = key.length < label.length ? [key, label] : [label, key];
    return shorter.length >= 4 && longer.includes(shorter);
  });
}
