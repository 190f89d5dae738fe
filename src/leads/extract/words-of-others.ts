import { nameEvidence } from './name-evidence.ts';
import { namesInText } from './names-in-text.ts';
import { plainLetters } from './role-lexicon.ts';

/** What is told of the past, or of honours. */
export const OF_THE_PAST =
  /(?<!\p{L})(?:(?:co-?)?(?:founded|founders?|gründer\p{L}*|gegründet|fond(?:é|ée|at[oa]|ateurs?|atrice)|fundad\p{L}+|fundó|opgericht|oprichter\p{L}*|grundad\p{L}*|grundare|stifte(?:r|t|de)|zakladatel\p{L}*|založ\p{L}+|zało[żz]y\p{L}+|perust\p{L}+|alapít\p{L}+|kurucu\p{L}*|ίδρ\p{L}+)|former(?:ly)?|ehemalig\p{L}*|früher\p{L}*|ancien(?:ne)?s?|antigu?[oa]s?|dawn[ya]|dawniej|by[łl][ya]|bývalá|bývalý|tidliger\p{L}*|tidigare|entinen|voormalig\p{L}*|korábbi|fost|eski|πρώην|late|in memory|honorary|previous(?:ly)?|in the past|retirement|died|deceased|passed away|bisherige[nr]?|verstorben\p{L}*|gestorben|ruhestand|pensionierung|verabschied\p{L}*|trauern|décédée?|retraite|autrefois|précédente?s?|jubilación|fallecid[oa]|falleció|anterior(?:es|mente)?|falecid[oa]|faleceu|scompars[oa]|defunt[oa]|in pensione|precedent[ei]|eerder|vroeger|overleden|avliden|avled|avtackad\p{L}*|sörjer|afdød|afgået|avdød|gått av|tidligere|eläkkeel\p{L}*|poprzedni\p{L}*|zmar[łl]\p{L}*|emerytur\p{L}*|dřívější|zemřel\p{L}*|zesnul\p{L}*|v důchodu|elhunyt|nyugdíj\p{L}*|decedat\p{L}*|vefat|(?:retired|retraitée?s|jubilad[oa]s|gepensioneerde|pensionerade|emerytowan\p{L}*|emeritiert\p{L}*)(?=[^.:]{0,30}:)|(?<!immediate )past (?:chair|president|captain|director|master|member|officer|presidente?)\p{L}*|honor(?:aire|ífic|ari|ow)\p{L}*|ehren\p{L}+)(?!\p{L})|(?<!\p{L})(?:ex|oud)-/iu;
/** A sign or abbreviation for the dead: "†", "(dec.)", "śp." before a name. */
export const DEAD = /[†✝]|(?<!\p{L})(?:dec(?:['’]d|eased)?\.?\)|śp\.|verst\.|gest\.|zm\.)/iu;
/** Roles of people who work for others, and of those whom organisations only name because they must. */
export const OUTSIDERS =
  /(?<!\p{L})(?:(?:[\p{L}-]+ ?)?(?:daten|data|gegevens|dataskydds|databeskyttelses|personvern|tietosuoja)(?:schutz|skydds|vern|beskyttelses|protection|suoja|beschermings|\s)?[\p{L}-]*|writer|author|composer|journalist|photo|foto|web|poet|minister|speaker|customer|client|guest|invitad[oa]|invité|ospite|convidad[oa]|gast(?!\p{L})|gäst(?!\p{L})|artist|solist|visitors?)|protecci[oó]n de datos|protezione dei dati|prote[cç][aã]o de dados|protection des donn|ochron[ay] danych|osobn[íi]ch [úu]daj|adatv[ée]del/iu;
/** With the name of a firm behind their own, auditors and accountants are not of the organisation. */
const AUDITOR =
  /audit|examiner|revis|prüfer|treuhänd|accountant|bookkeep|buchhalt|comptable|contable|contador|contabil|boekhoud|regnskap|bokför|kirjanpit|tilintark|księg|účetn|daňov|knjigovo|könyv/iu;
/** A firm right behind a name. */
export const OF_FIRM =
  /^\s*(?:,|\(|[–—-]\s|(?:of|at|from|with|von|der|bei|de|di|dello|della|van|bij|fra|från|hos|ved|av|z|ze|od|u)(?:\s(?:the|la|el|lo|firmy|kancelarii|studio))?\s)\s*(?!\p{L}+(?:day|tag)s?(?!\p{L}))\p{Lu}[\p{L}&.-]{3,}\s(?:[&+]\s)?\p{Lu}\p{L}/u;
/** Whom an organisation calls its own without their being of it: friends, customers, partners, neighbours. */
export const OURS_BUT_OTHERS =
  /(?<!\p{L})(?:friend|client|customer|partner|guest|member|neighbour|neighbor|supplier|sponsor|patron|colleague|host|reader|winner|hero|freund|kund|gast|gäst|mitglied|nachbar|lieferant|ami(?:e|s)?(?!\p{L})|membre|voisin|fournisseur|parrain|marraine|clien|amig|soci[oae]|vecin|proveedor|huésped|padrin|amic|vicin|fornitor|ospite|sócio|vizinh|fornecedor|hóspede|klant|vriend|lid(?!\p{L})|buur|leverancier|vän|medlem|granne|leverantör|ven(?!\p{L})|venn|nabo|gjest|leverandør|ystäv|jäsen|klient|przyjaci|gość|gości|sąsiad|zákazn|přítel|souse|host|člen)/iu;
/** "Captain Jane Doe Memorial Run" is nobody. */
export const PART_OF_NAME = /^ \p{Lu}\p{Ll}/u;
/** Before the role of somebody of another body: "Their president is". */
const OF_THEM =
  /(?<!\p{L})(?:its|their|leurs?|loro|deren|dessen|hun|deres|deras|jejich)\s[^,;:()]{2,60}$/iu;
/** Behind the name of somebody of a customer: "of our client". */
const OF_CLIENT =
  /^\s+(?:of|from|at|von|vom|beim?|de|du|chez|del|da[l]?|do|van|bij|av|fra|från|hos|ved|z|u|od)\s(?:(?:the|our|a|de|der|dem|het|onze|een|le|la|notre|el|il|un|o|unser\p{L}*|nuestr\p{L}|nostr\p{L}|noss\p{L})\s)?(?:clients?|customers?|auftraggeber|bauherr|kunden?|opdrachtgever|klant|donneur d.ordre|maître d.ouvrage|clientes?|comitente|committente|uppdragsgivare|byggherre|bygherre|oppdragsgiver|zleceniodawc|inwestor|klient|zadavatel|objednatel|megrendel)\p{L}{0,4}(?!\p{L})/iu;
/** Years of office that are over, behind a name. */
const TERM_BEHIND = /^\s*,?\s*\(\d{4}\s?[–-]\s?\d{4}\)/u;
/** Headings above the names of organisations and the like. */
export const NO_PEOPLE =
  /partner|sponsor|member|mitglied|membres|miembros|soci(?!\p{L})|leden|medlem/iu;
/** Labels of those who made, gave, won or perform something, or were pupils. */
export const CREDIT =
  /haftpflicht|versicher|insur(?:er|ance)|assurance|assicura|seguro|verzeker|försäkring|forsikring|ubezpiecz|pojišt|(?<!\p{L})(?:helden|heroes|héros|héroes|eroi|heróis|hjältar|helte|vorbild|inspir|idol|influen|einflüsse|producteur|producer|productor|produtor|produttor|producent|erzeuger|lieferant|fournisseur|supplier|leverand|leverant|proveedor|fornitor|fornecedor|dostawc|dodavatel|dodávateľ|beszállít|autor(?!i)|auteur|autoř|oprac|zpracoval|spracoval|bearbeit|zdj[ęe]c|fot[oó]|φωτο|фото|gra[fp]i|illustra|ilustra|maquet|programmier|tradu|übersetz|překlad|preklad|tłumacz|vertal|oversæt|översätt|sponsor|spende|donat|gewinn|winner|sieger|vainqueur|ganador|vencedor|vincit|zwyci|vítěz|víťaz|champion|absol|(?:texte?s?|tekst|textos?|testi|bild(?:er)?|obraz|layout|satz|druck|print|impresión|dessins?|diseño|desenho|quelle|source|fuente|fonte|bron|źródło|zdroj|kilde|källa|lähde|forrás|regie|regia|musik|music|patron|students?|alumn[iae]|schüler(?:innen)?|élèves?|uczniowie|žáci|alunn[io]|sopran[oa]?|mezzo|alto?|tenore?|basso?|bas|bariton[oe]?|piano|klavier|violine?|cello|flauto|flöte|gitarre|guitare?)(?!\p{L}))/iu;
/** A firm of partners right behind a name: ", Doe & Smith", "(Doe + Smith, …". */
const PARTNERS =
  /^(?:\s[\p{Lu}.]{2,8})?\s*(?:,|\(|[–—-]\s)\s*\p{Lu}[\p{L}’'.-]+(?:\s\p{Lu}[\p{L}’'.-]+){0,2}\s[&+]\s\p{Lu}\p{L}/u;
/** Headings above those who supply the organisation. */
export const SUPPLIERS =
  /^(?:(?:our|local|unsere|nos|nuestros|i nostri|os nossos|onze|våra|våre|vores|nasi|naši|nasze|naše)\s)?(?:(?:local|regionale)\s)?(?:producteurs?|producers|productores|produtores|produttori|producenten|producenter|produsenter|erzeuger|lieferanten|fournisseurs|suppliers|leverandører|leverantörer|leveranciers|proveedores|fornitori|fornecedores|dostawcy|dodavatelé|dodávatelia|beszállítóink|toimittajat|furnizori|tedarikçilerimiz)(?!\p{L})/iu;

/** Whether somebody is of a firm that stands right behind the name, and whose words the site does not share. */
export function isOfPartners(after: string, site: string): boolean {
  const firm = PARTNERS.exec(after)?.[0] ?? '';
  const own = plainLetters(site).replace(/[^a-z]+/gu, '');
  const words = plainLetters(firm).match(/\p{L}{4,}/gu) ?? [];
  return firm !== '' && !words.some((word) => own.includes(word));
}

/** Whether what stands around a name says that it is of another body, of a customer, or of earlier times. */
export function isOfAnother(before: string, after: string): boolean {
  return OF_THEM.test(before) || OF_CLIENT.test(after) || TERM_BEHIND.test(after);
}

/** Whether a name with a role, and a text behind it, is that of an auditor or accountant of another firm. */
export function isAuditorOfFirm(title: string, after: string): boolean {
  if (!AUDITOR.test(title) || !OF_FIRM.test(after)) return false;
  // "Auditors: Jane Doe, John Smith"
  const [next] = namesInText(after);
  const isListed = next !== undefined && /^[\s,]*$/u.test(after.slice(0, next.from));
  return !isListed || nameEvidence(next.name) !== 'known';
}

/** Whether a heading is above the names of others: partners, suppliers, guests, winners, former people. */
export function isHeadingOfOthers(text: string): boolean {
  return [OUTSIDERS, OF_THE_PAST, NO_PEOPLE, SUPPLIERS, CREDIT].some((others) => others.test(text));
}
