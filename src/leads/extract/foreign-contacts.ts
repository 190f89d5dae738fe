import { type HtmlNode, isElement } from '#src/files/html-tree.ts';
import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import { organizationNameTest } from './is-organization-name.ts';
import { areDomainsAlike, domainOfEmail, domainOfSite } from './own-domain.ts';
import { endsInOtherName, isOwnLabel } from './named-beside.ts';
import { firmIn } from './names-in-text.ts';
import { namesOtherKind, spellsDomain } from './organization-kinds.ts';
import { namesOtherOffice, tellsOfNobodyHere } from './other-offices.ts';
import { emailsOfLine } from './line-emails.ts';
import { linkAround, type PageLine, type PageLines } from './page-lines.ts';
import type { PageSource } from './page-source.ts';
import { cellOf, rowOf } from './row-of.ts';
import { scanEmails } from './scan-emails.ts';
import { scanPhones } from './scan-phones.ts';
import { siteNameOf } from './site-name.ts';

const MAKERS = [
  '(?:web ?site|site|page|theme|design|photos?|photography|images?|artwork|illustrations?) (?:\\p{L}+ )?by',
  '(?:designed|developed|built|made|created|crafted|hosted|powered|maintained) (?:and (?:designed|developed|built|hosted) )?(?:\\p{L}+ )?by',
  'websites by|(?:web|photo|image|design|site) credits?:|web ?(?:design|development|site)s?:|hosting:|hosting by|hosted (?:at|on|with)',
  'web-?design(?: by| von| und \\p{L}+)?:|(?:web)?seite(?:n)? von|website von|(?:technische )?(?:umsetzung|realisierung|gestaltung|programmierung|konzeption)(?: (?:und|&) \\p{L}+)?(?::| durch| von)|bildnachweis:|fotos:|hoster:',
  '(?:réalisation|conception|création|hébergement|hébergeur|crédits?(?: photos?)?)(?: (?:du site|web|et \\p{L}+))?(?: par| :|:)|(?:réalisé|créé|hébergé|développé) par',
  '(?:diseño|desarrollo|alojamiento)(?: web)?(?: por|:)|(?:diseñado|desarrollado|alojado) por|(?:desenvolvido|criado|feito|design) por|desenvolvimento:',
  'realizzazione(?: sito(?: web)?)?:?|sito (?:web )?(?:realizzato|creato) da|credits:|website door|(?:ontwerp|ontwikkeling)(?: en \\p{L}+)?(?: door|:)|(?:ontwikkeld|gemaakt|gebouwd) door',
  '(?:ilustracije|illustrationen|illustrations?|ilustraciones|illustrazioni|ilustrações|illustraties|ilustracje|ilustrace|fotografije|fotografías|fotografie|zdjęcia|foto):',
  'webmaster:|par le webmest?re|webmestre :|vom webmaster|by the webmaster|dal webmaster|(?:realizacja|projekt)(?: (?:i wykonanie|strony))?:|strona wykonana przez|(?:web)?(?:sidan|plats(?:en)?|siden) (?:är |er )?(?:gjord|byggd|skapad|lavet|laget|utviklet) (?:av|af)|(?:hjemmeside|nettside|webbplats|produktion|webdesign) (?:av|af)|(?:sivuston )?toteutus:?',
  'tvorba (?:webu|stránek)|web vytvořil\\p{L}*|készítette:?|web tasarım:?|tasarım:|(?:разработка|создание|дизайн)(?: сайта)?(?::| [—–-])|サイト制作',
  '(?:web|internet)auftritt(?::| von)|(?:nettsted(?:et)? )?(?:levert|driftet) av|(?:site|loja|página) (?:criad[oa]|desenvolvid[oa]|feit[oa]) por|κατασκευή(?: ιστοσελίδας| ιστοτόπου)?:',
];
const BY_OTHERS = new RegExp(`(?<!\\p{L})(?:${MAKERS.join('|')})(?!\\p{L})`, 'iu');
/** A heading, or a whole line, above text about another organisation. */
const OTHERS_HEADING =
  /^(?:\d+[.)] ?)?(?:(?:web ?)?hosting(?: provider)?|hoste[rd]|web ?hosts?|provider|web-?design|credits?|site credits|umsetzung|realisierung|(?:hébergement|hébergeur)(?: du site)?|conception et réalisation|réalisation|crédits?|alojamiento(?: web)?|diseño web|hospedagem|alojamento|hosting e realizzazione|realizzazione|hostingprovider|ontwerp en realisatie|realizacja|webbhotell|hostingleverandør|хостинг|разработка сайта|bildnachweise?|fotonachweise?|comments|kommentare|commentaires|comentarios|commenti|reacties|useful (?:phone |telephone )?(?:numbers|contacts)|(?:tel[ée]fonos|n[úu]meros|contactos) (?:de inter[ée]s|[úu]tiles|[úu]teis)|num[ée]ros utiles|numeri utili|wichtige (?:telefon|ruf)?nummern|notrufnummern|notrufe|nuttige (?:telefoon)?nummers|(?:andr[ea] )?(?:viktiga|viktige|nyttiga|nyttige) (?:telefon)?num(?:mer|re)|wa[żz]ne telefony|d[ůu]le[žz]it[áa] (?:telefonn[íi] )?[čc][íi]sla|selbsthilfe(?:gruppen?)?|support groups?|organ (?:prowadz[ąa]cy|nadzoruj[ąa]cy|za[łl]o[żz]ycielski)|schultr[äa]ger|tr[äa]ger der (?:schule|einrichtung|kita)|aufsichtsbeh[öo]rde|z[řr]izovatel|zria[ďd]ovate[ľl]|fenntart[óo]|autorit[ée] de tutelle|our (?:suppliers|growers|producers|makers)|unsere (?:lieferanten|erzeuger|produzenten)|nos (?:producteurs|fournisseurs|artisans)|nuestros (?:productores|proveedores)|(?:os )?nossos (?:produtores|fornecedores)|i nostri (?:produttori|fornitori)|onze (?:leveranciers|producenten)|(?:v[åa]ra|v[åa]re|vores) (?:leverant[öo]rer|leverand[øo]rer|producenter|produsenter)|meid[äa]n (?:tuottajat|toimittajat)|tuottajamme|nasi (?:dostawcy|producenci)|na[šs]i (?:dodavatel[ée]|producenti)|besz[áa]ll[íi]t[óo]ink|termel[őo]ink|(?:furnizorii|produc[ăa]torii) no[șs]tri|tedarik[çc]ilerimiz|[üu]reticilerimiz|sponsors|sponsoren|vertrouwenspersoon|data protection officer|datenschutzbeauftragter?|dataskyddsombud|personvernombud|d[ée]l[ée]gu[ée]e? [àa] la protection des donn[ée]es|responsabile della protezione dei dati|inspektor ochrony danych|ils nous soutiennent|nos partenaires|partenaires|our sponsors|unsere sponsoren|nos sponsors|nuestros patrocinadores|patrocinadores|colaboran|onze sponsors|nostri sponsor|sponsorer|v[åa]ra sponsorer|sponzo[řr]i|sponsorzy|where to buy|stockists|bezugsquellen|verkaufsstellen|points de vente|d[óo]nde comprar|onde comprar|dove acquistare|rivenditori|verkooppunten|[åa]terf[öo]rs[äa]ljare|forhandlere|j[äa]lleenmyyj[äa]t|gdzie kupi[ćc]|kde (?:n[áa]s )?koup[íi]te?|parceiros|patroc[íi]nadores|(?:nos |our |unsere |onze |nuestras |le nostre |as nossas |vores |våra |våre |nasze |naše )?(?:r[ée]f[ée]rences|referenzen|referenser|referencer|referanser|referenties|referencias|referenze|refer[êe]ncias|referencje|reference|referenci[áa]k|clients|customers|kunden|kunder|klanten|clientes|clienti|klienci|z[áa]kazn[íi]ci|[üu]gyfeleink|asiakkaat|m[üu][şs]terilerimiz))\s*:?$|(?:press|media) (?:contact|office) (?:of|for) |contacto de prensa de |contact presse (?:de|du) |pressekontakt (?:von|der|des) |sobre el organizador|about the organi[sz]er|über den veranstalter|à propos de l.organisateur/iu;
const OTHERS_CLASS =
  /(?:^|[\s_-])(?:comments?|commentlist|kommentare?|commentaires?|reacties|credits?|site-?by|designed-?by|made-?by|powered-?by|webdesign|testimonials?|reviews?)(?:$|[\s_-])/i;
const NUMBER = /\d[\d ()./-]{5,}/;
/** "Acme, tel. 020 …" */
const NAME_BESIDE_NUMBER = /[\p{L}\p{N}'’.][,;(:–-]? ?\(?(?:\p{L}{1,14}\.?:? )?[+(]?\d/u;
const LONGEST_CLAUSE = 160;
/** The full stop of "ul. Stawki" and "ing. Monti" ends no sentence, and a house number no list of numbers. */
const ABBREVIATIONS =
  'ul al pl os av kant bd nr st str sp ing dott prof dr mr mrs ms sig arch avv geom rag mgr mag lic sr sra hr fr dipl tel tél tlf puh gebr bzw np např napr bijv esim örn ex ej es eks'
    .split(' ')
    .map((word) => `[${word.charAt(0).toUpperCase()}${word.charAt(0)}]${word.slice(1)}`)
    .join('|');
const CLAUSE_END = new RegExp(
  `(?<=[\\p{Ll}\\d)]{2})(?<!(?<!\\p{L})(?:${ABBREVIATIONS}))[.!?;] (?=\\p{Lu})|[。；•|]|(?:\\d[ ()/.-]{1,3}\\d{2,}|\\d{5,})\\)?, `,
  'gu',
);
const LINES_BELOW_HEADING = 16;
const LONGEST_LINE = 400;
const LONGEST_HEADING = 90;
/** The label of an address for legally valid mail in Italy. */
const CERTIFIED =
  /(?<!\p{L})(?:PEC|[Pp]osta elettronica certificata)(?!\p{L})[\s:.–-]{1,4}([\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4})/u;
/** More lines with contacts than this are a directory. */
const MAX_TESTS = 2_000;
const MAX_CELLS = 4;
const LONGEST_CELL = 80;
/** A number and the address that follows it. */
const LONGEST_PAIR = 70;
const MAX_ANCESTORS = 12;
const IN_CONTENT = new Set(['body', 'html', 'main']);

/**
 * Contacts that the page attributes to someone else: the site's designer or host, its photographers, commenters, or
 * the organiser of a fair. Never includes an address on the site's own domain, or anything that also appears
 * elsewhere on the page.
 */
export function foreignContacts({ lines }: PageLines, source: PageSource): ForeignContacts {
  const { url, region } = source;
  const site = registrableDomain(url);
  const isOther = otherTest(source);
  const foreign = { emails: new Set<string>(), phones: new Set<string>() };
  const strange = new Set<string>();
  const certified = new Set<string>();
  const named = new Set<string>();
  const kept = { emails: new Set<string>(), phones: new Set<string>() };
  const numbers: { cells: string; line: PageLine; into: Set<string> }[] = [];
  for (const [at, line] of lines.entries()) {
    const emails = emailsOfLine(line);
    const text = line.text.slice(0, LONGEST_LINE);
    const hasNumber = NUMBER.test(text);
    if (emails.length === 0 && !hasNumber) continue;
    const isOwn = emails.some((email) => domainOf(email) === site);
    const into = !isOwn && isOfOthers(at, lines) ? foreign : kept;
    const ofOther =
      isOwn || into === foreign ? [] : emails.filter((one) => isOther.email(text, one));
    for (const email of emails) (ofOther.includes(email) ? strange : into.emails).add(email);
    const labelled = ofOther.length === 0 ? CERTIFIED.exec(text)?.[1] : undefined;
    if (labelled !== undefined && into === kept) certified.add(labelled.toLowerCase());
    if (!hasNumber) continue;
    const beside = ofOther.length > 0 ? foreign : into;
    numbers.push({ cells: cellsBefore(at, lines), line, into: beside.phones });
  }
  const hasForeign = numbers.some(
    ({ cells, line, into }) =>
      into === foreign.phones ||
      (numbers.length <= MAX_TESTS && NAME_BESIDE_NUMBER.test(line.text.slice(0, LONGEST_LINE))) ||
      isOther.clause(`${cells}${line.text.slice(0, LONGEST_LINE)}`),
  );
  if (foreign.emails.size > 0 || hasForeign) {
    for (const { cells, line, into } of numbers) {
      const text = `${cells}${line.text.slice(0, LONGEST_LINE)}`;
      for (const { phone, at } of scanPhones(text, region)) {
        const isOfOther = isOther.clause(clauseBefore(text, at));
        const before = clauseBefore(line.text.slice(0, LONGEST_LINE), at - cells.length);
        const isNamed = isOther.named(before) || isBehindLinkToOther(before, line, source);
        const isOwn = !(isOfOther || isNamed) || isBesideOwn(text, at, site);
        (isOwn ? into : isOfOther ? foreign.phones : named).add(phone);
      }
    }
  }
  return {
    emails: foreign.emails.difference(kept.emails),
    strange: strange.difference(kept.emails),
    certified,
    phones: foreign.phones.difference(kept.phones),
    named: named.difference(kept.phones),
  };
}

/** Whether a number stands right behind a link to another web site: it is the number of whoever is there. */
function isBehindLinkToOther(before: string, line: PageLine, { url }: PageSource): boolean {
  const text = before.replace(/[\s,;:(–-]*(?:\p{L}{1,10}\.?:?\s*)?\(?$/u, '');
  const own = registrableDomain(url) ?? '';
  return line.pieces.some((piece, at) => {
    if (!text.endsWith(piece.trim()) && !before.trimEnd().endsWith(piece.trim())) return false;
    const href = linkAround(line.elements[at] ?? null)?.attribs['href']?.trim() ?? '';
    const domain = domainOfSite(href);
    return domain !== null && !areDomainsAlike(domain, own);
  });
}

/** Whether an address of the site follows a number: "Harbour office: 020 7946 0101, office@acme.test". */
function isBesideOwn(text: string, at: number, site: string | null): boolean {
  const behind = text.slice(at, at + LONGEST_PAIR);
  const [clause = ''] = behind.split(/(?<=[\p{Ll}\d)]{2})[.;] (?=\p{Lu})|[|•·]/u, 1);
  return scanEmails(clause).some(({ email }) => domainOf(email) === site);
}

interface ForeignContacts {
  emails: ReadonlySet<string>;
  phones: ReadonlySet<string>;
  /** Numbers behind the name of somebody else, who may be a person's employer. */
  named: ReadonlySet<string>;
  /** Addresses beside the name of another organisation; what stands near them is that one's, too. */
  strange: ReadonlySet<string>;
  /** Certified addresses of the site, which are at a provider's domain. */
  certified: ReadonlySet<string>;
}

interface OtherTest {
  /** Whether a text is about another office or firm than the site's. */
  clause: (text: string) => boolean;
  /** Whether it ends with the name of another organisation. */
  named: (text: string) => boolean;
  /** Whether the line of an address is. */
  email: (line: string, email: string) => boolean;
}

function otherTest(source: PageSource): OtherTest {
  const siteName = siteNameOf(source) || source.page.title;
  const siteDomain = registrableDomain(source.url) ?? '';
  const isHost = organizationNameTest(source);
  let left = MAX_TESTS;
  const takesTest = (): boolean => {
    left -= 1;
    return left > 0;
  };
  const clause = (text: string): boolean =>
    tellsOfNobodyHere(text) ||
    namesOtherOffice(text, siteName) ||
    tellsOfFirm(text, isHost) ||
    (takesTest() && namesOtherKind(text, isHost, siteName));
  const email = (line: string, address: string): boolean => {
    const at = line.toLowerCase().indexOf(address);
    const before = clauseBefore(line, at === -1 ? line.length : at);
    return clause(before) || spellsDomain(line, domainOfEmail(address) ?? '', isHost);
  };
  const named = (text: string): boolean => endsInOtherName(text, { isHost, siteName, siteDomain });
  return { clause, named, email };
}

/** The text of the cells before a line in its row of a table, with a comma behind each. */
function cellsBefore(at: number, lines: readonly PageLine[]): string {
  const row = rowOf(lines[at]);
  if (row === null) return '';
  const cell = cellOf(lines[at]);
  const cells: string[] = [];
  for (let before = at - 1; before >= Math.max(0, at - MAX_CELLS); before -= 1) {
    if (rowOf(lines[before]) !== row) break;
    // Paragraphs of one cell, in a table that only arranges the page.
    if (cellOf(lines[before]) === cell) continue;
    cells.unshift(`${lines[before]?.text.slice(0, LONGEST_CELL)}, `);
  }
  return cells.join('');
}

/** Whether a sentence is about another firm: "The books are kept by Acme Ltd, tel. …". */
function tellsOfFirm(clause: string, isHost: (name: string) => boolean): boolean {
  const firm = firmIn(clause);
  if (firm === null || isHost(firm.name)) return false;
  const label = /([^:]+):\s*$/u.exec(clause.slice(0, firm.at))?.[1];
  if (label !== undefined) return !isOwnLabel(label);
  return /(?<![\p{L}@.-])\p{Ll}{4,}(?![\p{L}@.-])/u.test(clause.slice(0, firm.at));
}

/** The text before a number, since the last sentence or the last number. */
function clauseBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - LONGEST_CLAUSE), at);
  const ends = [...before.matchAll(CLAUSE_END)];
  const last = ends.at(-1);
  return last ? before.slice(last.index + last[0].length) : before;
}

function domainOf(email: string): string | null {
  return registrableDomain(email.slice(email.lastIndexOf('@') + 1));
}

function isOfOthers(at: number, lines: readonly PageLine[]): boolean {
  const line = lines[at];
  if (!line) return false;
  if (isByOthers(line.text) || isAmongOthers(line)) return true;
  // The studio's address may be below its name.
  const above = lines[at - 1];
  if (above && emailsOfLine(above).length === 0 && isByOthers(above.text)) return true;
  return isBelowOthersHeading(at, lines);
}

/** Whether a text is about the site's designer, host or photographer, or introduces another organisation. */
export function isAboutOthers(text: string): boolean {
  return isByOthers(text) || OTHERS_HEADING.test(text.slice(0, LONGEST_LINE));
}

function isByOthers(text: string): boolean {
  return BY_OTHERS.test(text.slice(0, LONGEST_LINE));
}

/** Whether a heading announces credits, comments, useful numbers of other offices and the like. */
export function isBelowOthersHeading(at: number, lines: readonly PageLine[]): boolean {
  for (let up = at - 1; up >= Math.max(0, at - LINES_BELOW_HEADING); up -= 1) {
    const heading = lines[up];
    if (!heading) break;
    if (heading.text.length <= LONGEST_HEADING && OTHERS_HEADING.test(heading.text)) return true;
    if (isHeadingLine(heading)) break;
  }
  return false;
}

function isHeadingLine({ elements: [element] }: PageLine): boolean {
  return element !== null && element !== undefined && /^(?:h[1-6]|dt|legend)$/.test(element.name);
}

/** In a part of the page whose markup names comments or credits. */
function isAmongOthers({ node }: PageLine): boolean {
  let at: HtmlNode | null = node.parent;
  for (let up = 0; at && isElement(at) && up < MAX_ANCESTORS; up += 1) {
    if (IN_CONTENT.has(at.name)) return false;
    const named = `${at.attribs['class'] ?? ''} ${at.attribs['id'] ?? ''}`;
    if (named.length > 1 && OTHERS_CLASS.test(named.slice(0, 300))) return true;
    at = at.parent;
  }
  return false;
}
