import { isLocalSite } from '#src/leads/is-local-site.ts';
import { registrableDomain } from '#src/leads/registrable-domain.ts';
import { type HtmlNode, isElement } from '#src/files/html-tree.ts';
import type { ContactCard } from './contact-card.ts';
import { emailsOfLine } from './line-emails.ts';
import type { PageLine, PageLines } from './page-lines.ts';
import { scanPhones } from './scan-phones.ts';

/** Who made, hosts or wrote something, in the line of the contact or right above. */
const CREDITS = new RegExp(
  String.raw`(?<!\p{L})(?:web ?(?:site|page)?s?[ -]?design(?:ed|er)?|web ?development|(?:web)?site (?:\w+ )?(?:by|door|von|par|af|av)|(?:dental |law )?websites by|(?:designed|developed|built|made|created|hosted) (?:\w+ )?by|powered by|photo(?:s|graphy|graphs)? (?:credits?|by)|image credits?|theme by|` +
    String.raw`webdesign|webseite (?:von|erstellt)|website von|umsetzung|realisierung|konzeption|programmierung|technische umsetzung|bildnachweise?|fotonachweise?|fotos? von|hosting|hoster|provider|` +
    String.raw`h[ée]berg(?:ement|eur|é par)|r[ée]alisation|conception|cr[ée]ation du site|cr[ée]dits?(?: photos?)?|dise[ñn]o web|desarrollo web|alojamiento|realizzazione(?: sito)?|sito (?:web )?(?:di|realizzato)|alojamento|desenvolvido por|desenvolvimento|site por|` +
    String.raw`website door|ontwerp|ontwikkeld door|realizacja|projekt strony|strona (?:www )?wykonana|webbplats|(?:hem)?sidan är (?:gjord|byggd)|produktion|webdesign af|hjemmeside af|nettside av|sivuston toteutus|toteutus|tvorba webu|web vytvoril|készítette|web tasarım|tasarım|разработка(?: сайта)?|создание сайт\p{L}+|дизайн|制作|サイト制作)(?!\p{L})`,
  'iu',
);
const CREDITS_CLASS = /(?:^|[\s_-])(?:credits?|site-?by|designed-?by|webdesign|agency|powered)(?:$|[\s_-])/i;
/** Above the contact of another house. */
const OTHERS =
  /(?:press|media) (?:contact|office) (?:of|for) |contacto de prensa de |contact presse (?:de|du) |pressekontakt (?:von|der|des) |sobre el organizador|about the organi[sz]er|about our (?:partner|supplier)|[üu]ber den veranstalter|à propos de l.organisateur/iu;
const LINES_ABOVE = 3;
const LONGEST_HEADING = 90;

/**
 * Contacts that the page says to be somebody else's: of who made or hosts the site, took the pictures, wrote a comment or
 * organises a fair. Those at the site's own domain are never so.
 */
export function foreignContacts(
  { lines }: PageLines,
  url: string,
  region: string | null,
): { emails: ReadonlySet<string>; phones: ReadonlySet<string> } {
  const own = registrableDomain(url);
  const foreign = { emails: new Set<string>(), phones: new Set<string>() };
  const kept = { emails: new Set<string>(), phones: new Set<string>() };
  for (const [at, line] of lines.entries()) {
    const emails = emailsOfLine(line);
    const isOwn = emails.some((email) => domainOf(email) === own);
    const isForeign = !isOwn && isOfOthers(line, lines.slice(Math.max(0, at - LINES_ABOVE), at), own);
    const into = isForeign ? foreign : kept;
    for (const email of emails) into.emails.add(email);
    if (!/\d{2}/.test(line.text)) continue;
    if (isForeign || foreign.phones.size > 0)
      for (const { phone } of scanPhones(line.text, region)) into.phones.add(phone);
  }
  return {
    emails: foreign.emails.difference(kept.emails),
    phones: foreign.phones.difference(kept.phones),
  };
}
