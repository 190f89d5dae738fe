import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import { nameEvidence } from './name-evidence.ts';
import { areDomainsAlike } from './own-domain.ts';
import { organizationKey } from './organization-key.ts';
import { readPersonName } from './person-name.ts';
import { labelBefore } from './phone-labels.ts';
import { plainLetters } from './role-lexicon.ts';
import { hasRoleWord, isDepartmentLine } from './role-words.ts';
import { withoutSalutation } from './salutation.ts';

/** What stands between a name and its number: a comma or a bracket, and a word such as "tel." or "support". */
const BEFORE_NUMBER =
  /\s*(?:[,;]|\s[–—-]|(?=\())\s*\(?(?<word>\p{L}[\p{L}\p{M}]{0,13}\.?)?\s*:?\s*$/u;
/** A name behind a word without a capital, right before a number. */
const IN_SENTENCE = /(?<![\p{L}\p{M}])\p{Ll}[\p{L}\p{M}’'-]*\s+\p{Lu}[^,;:()]{0,60}:?\s*$/u;
const WRITTEN_DOMAIN =
  /(?<=(?:^|[(,:])\s?)(?<domain>(?:[\p{L}\p{N}-]{1,63}\.){1,4}\p{L}{2,12})\/?$/u;
/** Where a name begins: after a label, a bracket, a comma, or a word without a capital. */
const LAST_NAME =
  /(?:^|[:(,;–—-]\s*|(?<![\p{L}\p{M}])(?:\p{Ll}[\p{L}\p{M}’'-]*\.?|\d[\d.]*)\s+)(?<name>\p{Lu}[\p{L}\p{M}\p{N}’'.&-]*(?:\s+(?:(?:&|\+|und|and|et|y|e|og|och|i|of|for|de|des|du|del|della|di|da|do|dos|van|von|der|den|the|la|le|w|we|v|ve|na|nad|in|im|am|en|på|sur|sul)\s+){0,2}\p{Lu}[\p{L}\p{M}\p{N}’'.&-]*){1,6})$/u;
const FORM_OF_ADDRESS =
  /^(?:mr|mrs|ms|miss|frau|herrn?|familie|fam|mme|mlle|m|sr|sra|srta|sig|sigra|dott|dottssa|dhr|mevr|mw|pan|pani|hr|fr|fru|dr|dra|ing|mgr|mag|bc|lic|licda|abg|arq|prof|profa|avv|geom|rag|arch|dipl|doc|mudr|judr|phdr|mvdr|me|mtro|mtra|dna|dl|gosp|gđa|inz|hanim|bey|κ|κα|г|гжа)$/u;
/** "Acme Tools (Jane Doe, " */
const IN_BRACKET = /^(?<owner>[^()]{3,})\s\([^()]*$/u;
/** A name of several words, at the end of a text. */
const NAME_AT_END =
  /(?:^|[:,;–—-]\s*|(?<![\p{L}\p{M}])\p{Ll}[\p{L}\p{M}’'-]*\s+)(?<name>\p{Lu}[\p{L}\p{M}’'.&-]*(?:\s(?:(?:&|und|and|et|y|e|og|of|for|de|des|du|del|della|di|da|do|van|von|der|en|em|in|the|la)\s){0,2}\p{Lu}[\p{L}\p{M}’'.&-]*){1,5})$/u;
/** Labels of the firm that runs the site, which may be named otherwise than the site. */
const OWN_LABEL =
  /publish|owner|operator|company|provider|imprint|address|contact|headquarter|head office|responsible|controller|betreiber|inhaber|anbieter|medieninhaber|herausgeber|verantwort|firma|unternehmen|anschrift|adresse|kontakt|sitz|zentrale|diensteanbieter|éditeur|editeur|propriétaire|société|siège|responsable|raison sociale|titular|empresa|razón social|dirección|domicilio|editor|proprietário|morada|sede|titolare|ragione sociale|azienda|indirizzo|gestore|uitgever|bedrijf|adres|eigenaar|verantwoordelijk|utgivare|ansvarig|företag|ansvarlig|udgiver|utgiver|virksomhed|virksomhet|julkaisija|osoite|yritys|wydawca|właściciel|administrator|siedziba|provozovatel|sídlo|prevádzkovateľ|adresa|cím|üzemeltető|székhely|operat|editat|adres|şirket|ünvan|издатель|адрес|владелец|운영|運営|会社|所在地/iu;
/** "Our office in New York, tel." is a branch. */
const BEFORE_PLACE =
  /(?<!\p{L})(?:in|im|en|em|à|au|aux|w|we|v|ve|i|te|på|στ\p{L}{1,3}|в|во|у|(?:in|at|en) (?:the|la|el|de|het))$/iu;
const LABEL = /([^:.,;]+):$/u;
const SHORTEST_SHARED = 5;

/** What a name beside a number is compared with. */
export interface Host {
  isHost: (name: string) => boolean;
  siteName: string;
  siteDomain: string;
}

/**
 * Whether the text before a number ends with the name of another organisation, behind a label or in a sentence:
 * "Printed by: Nordlys Print Works, tel." A name alone at the start of a line may be a part of the site's own.
 */
export function endsInOtherName(clause: string, host: Host): boolean {
  const { isHost, siteName, siteDomain } = host;
  const text = textBefore(clause);
  if (isInBracketOfOther(text ?? clause, host)) return true;
  if (text === null) return false;
  const domain = WRITTEN_DOMAIN.exec(text)?.groups?.['domain'];
  if (domain !== undefined) return isForeign(domain, siteDomain);
  const name = LAST_NAME.exec(text)?.groups?.['name'] ?? '';
  const lead = text.slice(0, text.length - name.length).trim();
  if (name === '' || lead === '' || BEFORE_PLACE.test(lead)) return false;
  if (isOwnLabel(LABEL.exec(lead)?.[1] ?? '')) return false;
  const words = name.split(/\s+/u).filter((word) => word !== '');
  if (words.some((word) => FORM_OF_ADDRESS.test(plainLetters(word).replaceAll('.', '')))) {
    return false;
  }
  if (hasRoleWord(name) || isDepartmentLine(name) || isHost(name)) return false;
  const ownKey = organizationKey(siteName);
  const isOfHost = words.some((word) => {
    const key = organizationKey(word);
    return key.length >= SHORTEST_SHARED && ownKey.includes(key);
  });
  if (isOfHost) return false;
  const person = readPersonName(name);
  if (person === null) return true;
  // "Substitute until May: Bjornar Vik"
  if (/[:–—-]$/u.test(lead) && hasRoleWord(lead)) return false;
  return nameEvidence(withoutSalutation(person)) === 'unknown';
}

/** "Safety: Acme Consulting of Springfield (Jane Doe, tel.": a number in a bracket is whose the bracket is. */
function isInBracketOfOther(text: string, { isHost, siteName }: Host): boolean {
  const owner = IN_BRACKET.exec(text)?.groups?.['owner']?.trim() ?? '';
  const name = NAME_AT_END.exec(owner)?.groups?.['name'] ?? '';
  const lead = owner.slice(0, owner.length - name.length).trim();
  if (name === '' || lead === '' || isOwnLabel(LABEL.exec(lead)?.[1] ?? '')) return false;
  if (hasRoleWord(name) || isDepartmentLine(name) || isHost(name)) return false;
  const person = readPersonName(name);
  if (person !== null && nameEvidence(withoutSalutation(person)) !== 'unknown') return false;
  const ownKey = organizationKey(siteName);
  return !name.split(/\s+/u).some((word) => {
    const key = organizationKey(word);
    return key.length >= SHORTEST_SHARED && ownKey.includes(key);
  });
}

/** Whether a label announces the firm that runs the site. */
export function isOwnLabel(label: string): boolean {
  return OWN_LABEL.test(label);
}

function isForeign(written: string, siteDomain: string): boolean {
  const domain = registrableDomain(written);
  return domain !== null && !areDomainsAlike(domain, siteDomain);
}

/** The text before a number and what introduces it, without an address at its end; null when other words do. */
function textBefore(clause: string): string | null {
  const end = BEFORE_NUMBER.exec(clause);
  // "Ask the control room of Harbour Watch: 020 …"
  if (!end) return IN_SENTENCE.test(clause) ? clause.replace(/\s*:?\s*$/u, '') : null;
  const word = end.groups?.['word'] ?? '';
  const isLabel = word === '' || /^\p{Ll}/u.test(word) || labelBefore(clause) === 'phone';
  if (!isLabel) return null;
  const parts = clause.slice(0, end.index).split(/(?<=[,;])\s+/u);
  while (parts.length > 1 && /\d/.test(parts.at(-1) ?? '')) parts.pop();
  return parts.join(' ').replace(/[,;]$/u, '');
}
