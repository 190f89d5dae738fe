import { normalizeText } from '#src/platform/normalize-text.ts';
import { publicSuffix, readableHost } from '#src/leads/lexicon/registrable-domain.ts';

/** The maximum in RFC 5321, in octets; counting characters is close enough. */
const MAX_LENGTH = 254;
const MAX_LOCAL_LENGTH = 64;
/** What people write in pages, not everything that RFC 5322 allows: the rest comes from code and URLs. */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}_+'&~-]+(?:\.[\p{L}\p{M}\p{N}_+'&~-]+)*$/u;
const HOST_LABEL = /^[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u;
/** RFC 2606: never assigned, but common in tests and examples. */
const RESERVED_SUFFIXES = new Set(['test', 'example', 'invalid']);
/** `logo@2x.png` and the like. */
const IMAGE_SCALE = /^\d{1,2}x$/;
const INVISIBLE = /[\u00AD\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g;
const HASH = /^(?:[0-9a-f]{24,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const SHORT_HASH = /^[0-9a-f]{16,}$/;
/** Error reporting endpoints, whose keys look like addresses. */
const HASH_HOSTS = /(?:^|\.)(?:sentry\.io|wixpress\.com|sentry\.[a-z0-9.-]+)$/;

const PLACEHOLDER_DOMAINS = new Set(
  (
    'example.com example.org example.net example.edu domain.com domain.de domain.org domain.net domain.tld mydomain.com ' +
    'yourdomain.com yourcompany.com company.com mycompany.com yoursite.com website.com yourwebsite.com mysite.com ' +
    'site.com email.com mail.com test.com provider.com host.com server.com beispiel.de beispiel.com firma.de ' +
    'musterfirma.de muster.de exemple.fr exemple.com domaine.fr domaine.com ejemplo.com ejemplo.es dominio.com ' +
    'dominio.es dominio.it esempio.it esempio.com exemplo.com exemplo.com.br dominio.com.br voorbeeld.nl domein.nl ' +
    'bedrijf.nl przyklad.pl domena.pl firma.pl priklad.cz domena.cz exempel.se doman.se ornek.com'
  ).split(' '),
);
const PLACEHOLDER_LOCALS = new Set(
  (
    'you your youremail you.email your.email your-email your_email yourmail me my myemail myname name names email e-mail mail user username ' +
    'user.name someone somebody anyone example sample test demo abc abc123 xxx xyz foo bar john.smith123 first last ' +
    'firstname lastname address recipient sender ihre ihr ihr.name ihrname ihre-email ihre.email deine dein.name name.vorname max.mustermann ' +
    'mustermann erika.mustermann beispiel muster nutzer benutzer nutzername benutzername votre votre.nom votrenom votre-email votre.email vous nom ' +
    'prenom exemple adresse utilisateur tu tunombre tu.nombre tucorreo tu-email tuemail nombre correo ejemplo usuario su sunombre nome tuo tuonome ' +
    'tuo.nome tuaemail la.tua.email esempio utente seu seunome seu.nome seuemail seu-email exemplo usuario naam jouw jouwnaam jouw.naam uw ' +
    'uwnaam gebruiker voorbeeld imie twoj twoje twojemail przyklad uzytkownik jmeno priklad uzivatel namn ditt.namn dittnamn exempel ' +
    'anvandare ad isim ornek kullanici'
  ).split(' '),
);
/** Descriptions of an address pattern, whatever the domain. */
const PATTERN_LOCAL =
  /^(?:(?:your|first|fore|given)[._-]?name|(?:first|fore|given)(?:name)?[._-]?(?:last|sur|family)(?:name)?|last(?:name)?[._-]first(?:name)?|vorname[._-]?(?:nach|familien|zu)name|pr[eé]nom[._-]?nom|nombre[._-]?apellidos?|nome[._-]?(?:cognome|sobrenome|apelido)|voornaam[._-]?achternaam|imi[eę][._-]?nazwisko|jm[eé]no[._-]?p[rř][ií]jmen[ií]|f[oö]rnamn[._-]?efternamn|ad[._-]soyad|etunimi[._-]?sukunimi|fornavn[._-]?efternavn|fornavn[._-]?etternavn|keresztn[eé]v[._-]?vezet[eé]kn[eé]v|vezet[eé]kn[eé]v[._-]?keresztn[eé]v|(?:pre)?nume[._-](?:pre)?nume|ime[._-]prezime|имя[._-]фамилия|име[._-]фамилия|ім[’']я[._-]прізвище|eesnimi[._-]perenimi|vardas[._-]pavard[eė]|v[aā]rds[._-]uzv[aā]rds|όνομα[._-]επώνυμο|onoma[._-]eponymo|meno[._-]priezvisko)$/;

/**
 * An address in the form used for comparison and display: without `mailto:`, display name and escapes, in lower case,
 * with a decoded domain. Null for anything but a plausible address: file names, hashes, placeholders.
 */
export function normalizeEmail(text: string): string | null {
  if (text.length > 4 * MAX_LENGTH || !/[@＠﹫%]/.test(text)) return null;
  const address = bareAddress(text);
  const at = address.indexOf('@');
  if (at < 1 || at !== address.lastIndexOf('@') || address.length > MAX_LENGTH) return null;
  const local = address.slice(0, at);
  const domain = plausibleDomain(address.slice(at + 1));
  if (domain === null || local.length > MAX_LOCAL_LENGTH || !LOCAL_PART.test(local)) return null;
  if (isHash(local, domain) || isPlaceholder(local, domain)) return null;
  return `${local}@${domain}`;
}

/** In lower case, without any wrapping. */
function bareAddress(text: string): string {
  let address = text.trim().replace(/^mailto:/i, '');
  const query = address.indexOf('?');
  if (query !== -1) address = address.slice(0, query);
  if (address.includes('%')) address = percentDecoded(address);
  address = normalizeText(address, 'NFKC').replace(INVISIBLE, '').trim();
  if (address.endsWith('>')) address = address.slice(address.lastIndexOf('<') + 1, -1);
  return address
    .replace(/^[\s"'`´‘’“”„«»([{<:;,.]{1,20}/, '')
    .replace(/^mailto:/i, '')
    .replace(/[\s"'`´‘’“”„«»)\]}>:;,.!?]{1,20}$/, '')
    .replaceAll('’', "'")
    .toLowerCase();
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    // Typed by hand: a percent sign that is not an escape.
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** The decoded domain; null when it is invalid or its suffix does not exist. */
function plausibleDomain(text: string): string | null {
  const domain = text.includes('.') ? readableHost(text) : null;
  const labels = domain?.split('.') ?? [];
  if (domain === null || labels.length < 2 || !labels.every((label) => HOST_LABEL.test(label))) {
    return null;
  }
  if (IMAGE_SCALE.test(labels[0] ?? '')) return null;
  const found = publicSuffix(domain);
  if (found === null || found.suffix === domain) return null;
  return found.isListed || RESERVED_SUFFIXES.has(found.suffix) ? domain : null;
}

function isHash(local: string, domain: string): boolean {
  if (HASH.test(local) && /\d/.test(local)) return true;
  return SHORT_HASH.test(local) && HASH_HOSTS.test(domain);
}

function isPlaceholder(local: string, domain: string): boolean {
  if (PATTERN_LOCAL.test(local)) return true;
  return PLACEHOLDER_DOMAINS.has(domain) && PLACEHOLDER_LOCALS.has(local);
}
