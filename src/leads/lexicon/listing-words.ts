import { inWordsOf } from './site-page-words.ts';

/** Words in titles of lists of organisations; one language per line, without accents. */
const WORDS = `
  members; member directory; membership directory; member list; our members; member companies; directory; business directory; business listings
  tenants; our tenants; stallholders; stalls; shops; our shops; stores; store directory; traders; exhibitors; exhibitor list; vendors
  local groups; local branches; branches; sections; societies; choirs; guilds; institutes; faculties; workshops; growers; producers; wineries; hosts; places to stay; restaurants; businesses; local businesses; who is here
  innungen; unsere innungen; verbande; mitgliedsverbande; ortsverbande; ortsgruppen; ortsvereine; kreisverbande; landesverbande; bezirke; sektionen; zunfte; chore; institute; fakultaten; werkstatten; winzer; erzeuger; gastgeber; unterkunfte; direktvermarkter; praxen
  sections; sections locales; comites; federations; clubs; ecoles; instituts; vignerons; domaines; hebergements; fermes; sezioni; istituti; circoli; cantine; strutture; secciones; institutos; clubes; penas; bodegas; asociaciones; entidades locales; secoes; coletividades
  afdelingen; clubs; instituten; boerderijen; kringen; klubbar; foreningar; sektioner; institutioner; gardsbutiker; klubber; lokallag; lokalforeninger; seurat; kerhot; oddzialy; kluby; kola; instytuty; oddily; spolky; ustavy; dilny; vinarstvi; korok; szakosztalyok; filiale; cluburi; kulupler; subeler
  organisations; organizations; clubs and societies; clubs and organisations; community groups; voluntary groups; vereine und verbande; vereine und gruppen; vereine und institutionen; vereine und organisationen; vereinsverzeichnis; organisationen; associations et clubs; clubs et associations; vie associative; asociaciones y clubes; asociaciones y entidades; associacoes; associacoes e coletividades; associazioni; associazioni e gruppi; clubs en verenigingen; organisaties
  spolky a organizace; spolky a sdruzeni; spolky a kluby; organizace; zajmove organizace; organizacie; spolky a organizacie; organizacje; organizacje pozarzadowe; stowarzyszenia; foreninger og klubber; foreninger og organisasjoner; lag og foreninger; foreningsliv; foreningar och klubbar; organisationer; yhdistykset; jarjestot; seurat ja yhdistykset; egyesuletek; civil szervezetek; asociatii; organizatii; dernekler; sivil toplum kuruluslari; udruge; drustva; общественные организации; организации; сдружения; громадські організації; συλλογοι
  dealers; our dealers; find a dealer; dealer locator; resellers; distributors; our distributors; agents; our agents; agents abroad; stockists
  partners; our partners; partner companies; suppliers; our suppliers; clubs; member clubs; affiliates; chapters; associations; sponsors
  mitglieder; unsere mitglieder; mitgliederverzeichnis; mitgliederliste; mitgliedsbetriebe; mitgliedsunternehmen; mitgliedsvereine; vereine; betriebe; firmen
  firmenverzeichnis; branchenverzeichnis; branchenbuch; gewerbeverzeichnis; gewerbetreibende; aussteller; ausstellerverzeichnis; mieter; unsere mieter; handler; haendler; fachhandler
  handlersuche; bezugsquellen; vertriebspartner; vertretungen; partner; unsere partner; partnerbetriebe; shops und gastro; shops gastro; geschafte; lieferanten
  membres; nos membres; adherents; nos adherents; annuaire; annuaire des membres; annuaire des entreprises; commercants; nos commercants; commerces; nos commerces; commerces et services; exposants; liste des exposants
  revendeurs; nos revendeurs; distributeurs; nos distributeurs; partenaires; nos partenaires; boutiques; locataires; artisans; nos artisans; producteurs; nos producteurs
  asociados; nuestros asociados; empresas asociadas; directorio; directorio de empresas; expositores; distribuidores; comercios; puestos; tiendas; socios; entidades
  associados; nossos associados; lojas; as nossas lojas; bancas; as nossas bancas; lojistas; expositores; distribuidores; parceiros; diretorio; directorio
  soci; i nostri soci; associati; aziende associate; elenco aziende; espositori; negozi; i negozi; rivenditori; distributori; botteghe; produttori; i produttori
  leden; onze leden; ledenlijst; huurders; onze huurders; wie zit er; ondernemers; bedrijven; bedrijvengids; winkels; dealers; verkooppunten; exposanten; verenigingen; deelnemers
  czlonkowie; nasi czlonkowie; firmy; katalog firm; wystawcy; lista wystawcow; najemcy; sklepy; dystrybutorzy; partnerzy; nasi partnerzy; zrzeszeni
  medlemmar; vara medlemmar; medlemsforetag; foretag; foreningar; utstallare; aterforsaljare; butiker; hyresgaster; medlemmer; vare medlemmer; medlemsvirksomheder; medlemsbedrifter
  bedrifter; virksomheder; foreninger; utstillere; udstillere; forhandlere; butikker; leietakere; jasenet; jasenyritykset; yritykset; jalleenmyyjat; naytteilleasettajat; liikkeet
  clenove; nasi clenove; seznam clenu; clenske firmy; vystavovatele; prodejci; obchody; clenovia; zoznam clenov; tagok; tagjaink; taglista; kereskedok; kiallitok; uzletek
  membri; membrii nostri; expozanti; magazine; distribuitori; parteneri; uyeler; uyelerimiz; uye listesi; firmalar; firma rehberi; bayiler; bayilerimiz; magazalar; katilimcilar
  члены; участники; наши члены; арендаторы; магазины; дилеры; дистрибьюторы; каталог организаций; партнеры; члени; учасники; орендарі; крамниці; членове; магазини; μελη; τα μελη μας; καταστηματα`;
/** For scripts without spaces between words. */
const UNSPACED =
  /会員一覧|会員企業|会員名簿|加盟店|店舗一覧|出展者|出店者|特約店|会员单位|会员名单|商户|经销商|參展商|参展商|회원사|입점업체|대리점|参加企業/u;
const LONGEST_NAME = 60;
/**
 * The minimum share of the title that a listing word must have: "Members of the board" is not a list of organisations.
 */
const MIN_SHARE = 0.5;
/** Titles of lists of people, even if they contain a listing word. */
const OF_PEOPLE =
  /-(?:board|committee|staff|team|vorstand|vorstands|leitung|comite|direction|junta|direttivo|bestuur|zarzad|zarzadu|styrelse|styrelsen|styret|hallitus|vyboru|yonetim|kurul)-/u;

const NAMES: ReadonlySet<string> = new Set(
  WORDS.split(/[;\n]/)
    .map((written) => inWordsOf(written.trim()))
    .filter((name) => name !== '--'),
);

/** Whether a page or heading with this title lists other organisations. */
export function isListingName(text: string): boolean {
  if (text.length > LONGEST_NAME) return false;
  if (UNSPACED.test(text)) return true;
  const words = inWordsOf(text);
  if (OF_PEOPLE.test(words)) return false;
  for (const name of NAMES) {
    if (name.length >= words.length * MIN_SHARE && words.includes(name)) return true;
  }
  return false;
}
