import { isRoleAddress } from '#src/leads/lexicon/email-facts.ts';
import { normalizeEmail } from './normalize-email.ts';
import { joinedLocal } from './scan-emails.ts';
import { SEAM } from './visible-page-text.ts';

/** Per page. */
const MAX_CANDIDATES = 2_000;
const MAX_CANDIDATES_OF_LINE = 10;
const LOCAL_WINDOW = 90;
const DOMAIN_WINDOW = 160;
/** Words for the at sign that mean nothing else when in brackets. */
const AT_WORDS =
  'at|ät|aet|a|à|ad|et|bei|chez|arroba|arobase|arobas|arrobase|chiocciola|chiocciolina|klammeraffe|affenschwanz|apenstaartje|' +
  'ma[łl]pa|zavin[aá][čc]|kukac|snabel-?a|snabela|kr[øo]ll?alfa|miukumauku|sobaka|собака|собачка|равлик|маймунка|kuyruklu a|' +
  'majmun[čc]e|afna|παπάκι|アットマーク|アット|あっと|골뱅이|圈a|艾特|小老鼠|שטרודל|آت|&|@|＠|\\*';
/** Words that mean the at sign even without brackets. */
const STRONG_AT =
  'kr[øo]ll?alfa|arroba|arobase|arobas|chiocciola|klammeraffe|apenstaartje|ma[łl]pa|zavin[aá][čc]|kukac|snabel-?a|собака|собачка|アットマーク|골뱅이';
const DOT_WORDS =
  'dot|d0t|punkt|punto|point|ponto|punt|kropka|te[čc]ka|tocka|to[čc]ka|pika|taškas|punkts|bodka|pont|prick|piste|nokta|punct|punktum|nukta|точка|крапка|τελεία|ドット|점|点|點|נקודה|نقطة|。|\\.';
/** Spaces and element boundaries. */
const GLUE = '[\\s\\uE002]{0,4}';
const OPEN = '[\\[({<⟨（［｛【«|~*=_-]';
const CLOSE = '[\\])}>⟩）］｝】»|~*=_-]';
const AT = new RegExp(
  `(?<bracketed>${GLUE}(?:[\\[({<（［｛【«]{1,3}\\s?(?:${AT_WORDS})\\s?[\\])}>）］｝】»]{1,3}|(?<=[\\s\\uE002])[-_*~|=]{1,2}at[-_*~|=]{1,2}(?=[\\s\\uE002]))${GLUE})|` +
    `(?<joined>(?<=\\S)(?<open>[_|~*=-])(?:at|AT)\\k<open>(?=\\S))|` +
    `(?<sign>＠|﹫|(?<=\\s)@(?=\\s)|(?<=\\S)\\s@|@\\s(?=\\S))|` +
    `(?<strong>\\s\\uE002?(?:${STRONG_AT})\\uE002?\\s)|(?<bare>\\s\\uE002?["'“„]?(?:at|AT|ät|bei|собака)["'”“]?\\uE002?\\s)`,
  'giu',
);
const BRACKETED_DOT = new RegExp(
  `${GLUE}${OPEN}{1,3}\\s?(?:${DOT_WORDS})\\s?${CLOSE}{1,3}${GLUE}`,
  'giu',
);
const BARE_DOT = new RegExp(`\\s\\uE002?["'“„]?(?:${DOT_WORDS})["'”“]?\\uE002?\\s`, 'giu');
const LOCAL = /[\p{L}\p{M}\p{N}._+'~\uE000-\uE002-]{1,80}$/u;
const DOMAIN = /^[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}.\uE000-\uE002-]{0,200}[\p{L}\p{M}\p{N}])?/u;
const LABEL =
  /(?:e-?mail|mail|mailto|correo|courriel|posta|e-posta|e-post|почта|メール|邮箱|郵件|이메일|kontakt|contact|contacto|contato|contatto|write(?: to)?|schreib(?:en)?(?: sie)?(?: an)?|reach(?: me| us)?|address|adresse)[\s:：>–—-]{0,4}$/iu;
/** "Ring us or write to jane at acme dot test" */
const BEFORE_ADDRESS =
  /(?:[,:;(]|(?<!\p{L})(?:or|to|oder|an|ou|à|o|a|of|naar|eller|til|till|tai|lub|albo|nebo|alebo|sau|veya))[\s\uE002]*$/iu;
const SPACED_OUT =
  /(?<!\S)(?:[\p{L}\p{N}._-][ \u00A0]{1,2}){3,40}@(?:[ \u00A0]{1,2}[\p{L}\p{N}.-]){4,60}(?!\S)/gu;
/** Words that precede "at" in sentences. */
const SENTENCE_WORDS = new Set(
  (
    'us me him her it them you we i they is are was were be been meet look looking looks find found here there visit located location available ' +
    'based open opened live lives work works working worked study studied arrive arrived stay stop stopped start starts started join joined ' +
    'hosted sold online out up down in on off only also now then and or the a an this that all more not at by to from of with for ' +
    'speaker speaking professor engineer director manager partner ceo cto founder head lead team people someone anyone everyone ' +
    'er sie es ist sind war wir uns ich war direkt auch nur oder und dort hier jetzt erhältlich finden kaufen arbeiten'
  ).split(' '),
);

export interface SpelledOutOptions {
  /** Limit on the places that are tried. */
  most?: number;
  /** In sentences, addresses of this domain are more likely. */
  siteDomain?: string | null;
}

/**
 * Addresses with their signs spelled out, such as `jane [at] acme [dot] de`. Words that also occur in sentences
 * ("at", "dot") count only when everything around them has the form of an address.
 */
export function scanSpelledOut(
  text: string,
  { most = MAX_CANDIDATES, siteDomain = null }: SpelledOutOptions = {},
): string[] {
  const found: string[] = [];
  let candidates = 0;
  for (const match of text.matchAll(AT)) {
    candidates += 1;
    if (candidates > most) break;
    const email = addressAround(text, match, siteDomain);
    if (email !== null) found.push(email);
  }
  return found;
}

/** Addresses with a space behind each letter: "i n f o @ a c m e . d e". */
export function scanSpacedOut(text: string): string[] {
  if (!/[ \u00A0]@[ \u00A0]/.test(text)) return [];
  return [...text.matchAll(SPACED_OUT)]
    .slice(0, MAX_CANDIDATES_OF_LINE)
    .map(([spaced]) => normalizeEmail(spaced.replace(/\s/gu, '')))
    .filter((email) => email !== null);
}

/** Where the first such address in a line begins; -1 if there is none. */
export function spelledOutStart(line: string): number {
  let candidates = 0;
  for (const match of line.matchAll(AT)) {
    candidates += 1;
    if (candidates > MAX_CANDIDATES_OF_LINE) break;
    if (addressAround(line, match) === null) continue;
    return line.slice(0, match.index).trimEnd().lastIndexOf(' ') + 1;
  }
  return -1;
}

function addressAround(
  text: string,
  match: RegExpExecArray,
  siteDomain: string | null = null,
): string | null {
  const groups = match.groups ?? {};
  const end = match.index + match[0].length;
  const line =
    text
      .slice(Math.max(0, match.index - LOCAL_WINDOW), match.index)
      .split('\n')
      .at(-1) ?? '';
  const rest = text.slice(end, end + DOMAIN_WINDOW).split('\n', 1)[0] ?? '';
  const before = withDots(line).replace(/[\s\uE002]{1,30}$/, '');
  const behind = withDots(rest).replace(/^[\s\uE002]{1,30}/, '');
  const local = joinedLocal(LOCAL.exec(before)?.[0] ?? '').replace(/[\uE000\uE001]/g, '');
  const domain = domainOf(behind);
  if (local === '' || domain === null || !/\p{L}/u.test(domain)) return null;
  const email = normalizeEmail(`${local}@${domain.replaceAll(/[\uE000-\uE002]/g, '')}`);
  if (email === null) return null;
  const isDotSpelled = countDots(rest.slice(0, domain.length + 24)) > 0;
  const isShouted = /\sAT\s/.test(match[0]) && /\sDOT\s/.test(rest);
  const kind: Candidate['kind'] = groups['bracketed'] !== undefined ? 'bracketed' : kindOf(groups);
  const prefix = before.slice(0, before.length - local.length);
  const suffix = behind.slice(domain.length);
  const isOwn = siteDomain !== null && email.endsWith(`@${siteDomain}`);
  const written: Candidate = { kind, email, local, prefix, suffix, isDotSpelled, isShouted, isOwn };
  return isMeant(written) ? email : null;
}

function kindOf(groups: Record<string, string | undefined>): 'joined' | 'sign' | 'strong' | 'bare' {
  if (groups['joined'] !== undefined) return 'joined';
  if (groups['sign'] !== undefined) return 'sign';
  return groups['strong'] === undefined ? 'bare' : 'strong';
}

interface Candidate {
  kind: 'bracketed' | 'joined' | 'sign' | 'strong' | 'bare';
  email: string;
  local: string;
  prefix: string;
  suffix: string;
  isDotSpelled: boolean;
  /** `AT` and `DOT`. */
  isShouted: boolean;
  /** It is on the site's own domain. */
  isOwn: boolean;
}

function isMeant(candidate: Candidate): boolean {
  const { kind, email, local, prefix, suffix, isDotSpelled, isShouted, isOwn } = candidate;
  const isWord = SENTENCE_WORDS.has(local.toLowerCase());
  const isAlone =
    /^[\s\p{P}\p{S}\uE002]*$/u.test(prefix) && /^[\s\p{P}\p{S}\uE002]*$/u.test(suffix);
  const isLabelled = LABEL.test(prefix.replaceAll(SEAM, ' '));
  const isAddressLike = isRoleAddress(email) || /[._\d]/.test(local);
  switch (kind) {
    case 'bracketed':
      return (
        !isWord || (isDotSpelled && (isAlone || isLabelled || /^(?:me|us|i|all)$/i.test(local)))
      );
    case 'joined':
      return !isWord && (isDotSpelled || isAlone || isLabelled || isAddressLike);
    case 'strong':
      return !isWord;
    case 'sign':
      // "E-mail @acme.test" heads a list of what stands before the at sign.
      if (/^e-?(?:mail|post|posta)$/i.test(local)) return false;
      return !isWord && (isAlone || isLabelled || isAddressLike || isDotSpelled);
    case 'bare':
      if (isWord || !/\p{L}/u.test(local)) return false;
      // In a sentence nobody writes both words in capitals.
      if (isDotSpelled && isShouted) return true;
      if (isDotSpelled) {
        return isAlone || isLabelled || isAddressLike || (isOwn && BEFORE_ADDRESS.test(prefix));
      }
      return isAlone ? isAddressLike : isLabelled && /[:：]/.test(prefix.slice(-4));
  }
}

/** Turns spelled-out dots into dots; a dot between spaces belongs to an address that was pulled apart. */
function withDots(text: string): string {
  return text
    .replace(BRACKETED_DOT, '.')
    .replace(BARE_DOT, '.')
    .replace(/ \. |\uE002*\.\uE002*(?=[^\s\uE002])/g, '.');
}

function countDots(text: string): number {
  const padded = `${text} `;
  return (
    (padded.match(BRACKETED_DOT)?.length ?? 0) +
    (padded.match(BARE_DOT)?.length ?? 0) +
    (padded.match(/ \. /g)?.length ?? 0)
  );
}

/** The domain at the start of a text; the shortest one at an element boundary. */
function domainOf(text: string): string | null {
  const written = DOMAIN.exec(text)?.[0] ?? '';
  const seam = written.indexOf(SEAM);
  const first = seam === -1 ? written : written.slice(0, seam);
  if (normalizeEmail(`x@${first}`) !== null) return first;
  return written.includes('.') ? written : null;
}
