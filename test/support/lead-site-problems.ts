import parsePhoneNumber from 'libphonenumber-js/max';
import { emailsOfPerson, phonesOfPerson, type SiteLabel } from './lead-site-label.ts';
import {
  digitsStandIn,
  partsStandIn,
  phoneStandsIn,
  standsIn,
  type FileReadings,
} from './lead-site-readings.ts';

/** Mail providers whose real names may appear in fixtures. All other domains must be reserved ones. */
const FREE_MAIL = new Set(
  (
    'gmail.com hotmail.com outlook.com yahoo.com icloud.com gmx.de web.de t-online.de orange.fr ' +
    'wanadoo.fr free.fr libero.it seznam.cz email.cz wp.pl sapo.pt telia.com ziggo.nl yahoo.co.jp ' +
    'hotmail.co.uk'
  ).split(' '),
);

/** Paths requested without a link. */
const WELL_KNOWN = new Set(['/sitemap.xml', '/favicon.ico', '/llms.txt']);

/** Describes what is wrong with the labels of one site; empty if nothing. */
export function labelProblems(site: SiteLabel, readings: readonly FileReadings[]): string[] {
  return [
    ...textProblems(site, readings),
    ...emailProblems(site, readings),
    ...phoneProblems(site, readings),
    ...trapProblems(site, readings),
  ];
}

/** Describes what is wrong with the responses: missing or unused files, and URLs that nothing mentions. */
export function answerProblems(
  site: SiteLabel,
  files: readonly string[],
  texts: string[],
): string[] {
  const answers = Object.values(site.responses);
  const all = answers.flatMap((answer) =>
    'otherwise' in answer ? [answer, answer.otherwise] : [answer],
  );
  const named = new Set(all.flatMap(({ file }) => (file === undefined ? [] : [file])));
  const headers = all.flatMap((answer) => Object.values(answer.headers ?? {}));
  const unnamed = Object.keys(site.responses).filter(
    (path) =>
      path !== site.start && !WELL_KNOWN.has(path) && !isNamed(path, [...texts, ...headers]),
  );
  const lostCookies = answers.flatMap((answer) =>
    'otherwise' in answer && !headers.some((value) => value.startsWith(answer.requires_cookie))
      ? [answer.requires_cookie]
      : [],
  );
  return [
    ...(Object.hasOwn(site.responses, site.start)
      ? []
      : [`nothing answers at start ${site.start}`]),
    ...[...named].filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
    ...files.filter((file) => !named.has(file)).map((file) => `no answer names the file ${file}`),
    ...unnamed.map((path) => `no file and no header leads to ${path}`),
    ...lostCookies.map((cookie) => `no answer sets the cookie ${cookie}`),
  ];
}

/** Links may be relative, so only the last path segment is compared. */
function isNamed(path: string, texts: readonly string[]): boolean {
  const last = path.split(/[/?]/).findLast((part) => part !== '') ?? path;
  return texts.some((text) => text.includes(last) || text.includes(decodeURI(last)));
}

function textProblems(site: SiteLabel, readings: readonly FileReadings[]): string[] {
  const persons = personsOf(site);
  const names = [site.organization, ...site.members, ...persons].flatMap((one) => one?.names ?? []);
  const domains = site.members.flatMap(({ domain }) => domain ?? []);
  const profiles = [site.organization, ...persons]
    .flatMap((one) => (one === null ? [] : [one.linkedin, one.twitter, ...furtherProfiles(one)]))
    .flatMap((address) => address ?? []);
  return [
    ...names
      .filter((name) => !stands(readings, name) && !partsStand(readings, name.split(/\s+/)))
      .map((name) => `the name "${name}" stands in no file`),
    ...[...persons.flatMap(({ titles }) => titles), ...domains]
      .filter((fact) => !stands(readings, fact))
      .map((fact) => `"${fact}" stands in no file`),
    ...domains
      .filter((domain) => site.host === domain || site.host === `www.${domain}`)
      .map((domain) => `a member has the site's own domain ${domain}`),
    ...profiles
      .filter(
        (address) => !stands(readings, address.split('/').findLast((part) => part !== '') ?? ''),
      )
      .map((address) => `the profile ${address} stands in no file`),
  ];
}

function emailProblems(site: SiteLabel, readings: readonly FileReadings[]): string[] {
  return emailsOf(site).flatMap((email) => {
    const [user = '', domain = ''] = email.split('@');
    const isReserved = /\.(example|test)$/.test(domain) || FREE_MAIL.has(domain);
    const isThere = stands(readings, email) || partsStand(readings, [user, ...domain.split('.')]);
    return [
      ...(isReserved
        ? []
        : [`${email} is neither of .example or .test nor of a known mail provider`]),
      ...(isThere ? [] : [`the e-mail ${email} stands in no file`]),
    ];
  });
}

function phoneProblems(site: SiteLabel, readings: readonly FileReadings[]): string[] {
  return phonesOf(site).flatMap((phone) => {
    const parsed = parsePhoneNumber(phone);
    if (parsed?.number !== phone || !parsed.isValid()) return [`the phone ${phone} is not valid`];
    const isThere = readings.some((file) => phoneStandsIn(file, parsed.nationalNumber));
    return isThere ? [] : [`the phone ${phone} stands in no file`];
  });
}

function trapProblems(site: SiteLabel, readings: readonly FileReadings[]): string[] {
  const names = [site.organization, ...personsOf(site)].flatMap((one) => one?.names ?? []);
  const facts = new Set<string>([...names, ...emailsOf(site), ...phonesOf(site)]);
  return site.traps.flatMap((trap) => [
    ...(facts.has(trap) ? [`"${trap}" is both a fact and a trap`] : []),
    ...(stands(readings, trap) || digitsStand(readings, trap)
      ? []
      : [`the trap "${trap}" stands in no file`]),
  ]);
}

function personsOf({ persons, members }: SiteLabel): SiteLabel['persons'] {
  return [...persons, ...members.flatMap((member) => member.persons)];
}

function emailsOf(site: SiteLabel): string[] {
  const lists = [site.organization, ...site.members].flatMap((one) => one?.emails ?? []);
  return [...lists, ...personsOf(site).flatMap(emailsOfPerson)];
}

function phonesOf(site: SiteLabel): string[] {
  const lists = [site.organization, ...site.members].flatMap((one) => one?.phones ?? []);
  return [...lists, ...personsOf(site).flatMap(phonesOfPerson)];
}

function furtherProfiles(one: object): (string | null)[] {
  const further: { facebook?: string | null; instagram?: string | null } = one;
  return [further.facebook ?? null, further.instagram ?? null];
}

function stands(readings: readonly FileReadings[], fact: string): boolean {
  return readings.some((file) => standsIn(file, fact));
}

function partsStand(readings: readonly FileReadings[], parts: readonly string[]): boolean {
  return readings.some((file) => partsStandIn(file, parts));
}

function digitsStand(readings: readonly FileReadings[], phone: string): boolean {
  const number = /^\+\d+$/.test(phone) ? parsePhoneNumber(phone)?.nationalNumber : undefined;
  return number !== undefined && readings.some((file) => digitsStandIn(file, number));
}
