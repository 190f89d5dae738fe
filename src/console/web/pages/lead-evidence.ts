/** Where and how a value was read. */
interface Source {
  url: string;
  technique: string;
}

/** What the techniques of the service are to a reader. */
const WORDS: Readonly<Record<string, string>> = {
  'json-ld': 'in its data for search engines',
  microdata: 'in its data for search engines',
  rdfa: 'in its data for search engines',
  'h-card': 'in a marked-up card',
  vcard: 'in a vCard file',
  mailto: 'behind a mail link',
  'tel-link': 'behind a phone link',
  whatsapp: 'behind a WhatsApp link',
  cloudflare: 'in an address hidden from robots',
  obfuscated: 'in an address written in another way',
  'visible-text': 'in its text',
  meta: 'in its description for other programs',
  'team-card': 'in a team card',
  'team-name': 'as the name of somebody of the team',
  'member-card': 'in the card of a member',
  'script-json': 'in the data of a script',
  'profile-link': 'behind a link to a profile',
  'page-title': 'in its title',
};

/** `on /team, in a team card` */
export function placeOf({ url, technique }: Source): string {
  const address = URL.parse(url);
  const page = address === null ? url : `${address.pathname}${address.search}`;
  return `on ${page}, ${WORDS[technique] ?? `by ${technique}`}`;
}

/** Where the best value of each field was found first, for one cell. */
export function evidenceLine(
  evidence: Readonly<Record<string, readonly { sources: readonly Source[] }[]>>,
): string {
  const places = Object.entries(evidence).flatMap(([field, [best]]) => {
    const source = best?.sources[0];
    return source ? [`${field}: ${source.url} (${source.technique})`] : [];
  });
  return places.join('; ');
}
