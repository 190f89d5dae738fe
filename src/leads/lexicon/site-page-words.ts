/** The purpose of a page, by its name. */
export type NamedPageKind =
  | 'imprint'
  | 'contact'
  | 'team'
  | 'members'
  | 'about'
  | 'support'
  | 'privacy';

/**
 * Names of pages in paths and link texts, one language per line, without accents (`über` is `uber` here). The order
 * of kinds decides between names that match equally well.
 */
const NAMES: Readonly<Record<NamedPageKind, string>> = {
  imprint: `
    imprint; legal notice; legal notices; legal disclosure; legal information; legal info; legal; company details
    impressum; impressumsangaben; anbieterkennzeichnung; rechtliches; rechtliche hinweise
    mentions legales; informations legales; notice legale
    aviso legal; informacion legal; nota legal; textos legales
    note legali; informazioni legali; dati societari
    informacao legal; informacoes legais; avisos legais
    colofon; juridische informatie; bedrijfsgegevens
    nota prawna; informacje prawne; dane firmy; dane rejestrowe
    juridisk information; juridisk informasjon; juridiske oplysninger; virksomhedsoplysninger; oikeudelliset tiedot
    pravni informace; pravni ujednani; udaje o spolecnosti; fakturacni udaje; impresszum; ceginformacio; jogi nyilatkozat
    date legale; informatii legale; date firma; yasal uyari; kunye; sirket bilgileri
    реквизиты; юридическая информация; правовая информация; выходные данные; реквізити; правова інформація
    νομικη σημειωση; νομικες πληροφοριες; правна информация; pravne informacije; pravne napomene
    特定商取引法に基づく表記; 特定商取引; 法的事項; 法律声明; 法律聲明; 사업자정보; 법적고지`,
  contact: `
    contact; contacts; contact us; contactus; contact info; contact information; contact details; contact form; contact page
    get in touch; reach us; talk to us; find us; where to find us; locations; our locations; offices; our offices
    kontakt; kontakte; kontaktformular; kontaktdaten; kontaktieren sie uns; kontaktiere uns; so erreichen sie uns; anfahrt; standorte; standort; filialen; sprechstunde; sprechstunden; sprechzeiten; ordinationszeiten
    contactez nous; nous contacter; nous trouver; coordonnees; nos agences
    contacto; contactos; contactenos; contactanos; contacta; contactar; donde estamos; sedes
    contatti; contatto; contattaci; contattateci; dove siamo; le nostre sedi
    contato; contatos; contacte nos; fale conosco; fale connosco; entre em contato; onde estamos
    contacteer ons; neem contact op; contactgegevens; contactformulier; vestigingen; bereikbaarheid
    skontaktuj sie; dane kontaktowe; napisz do nas
    kontakta oss; kontakt oss; kontakt os; kontaktuppgifter; hitta oss; ota yhteytta; yhteystiedot; yhteys; hafa samband
    kontakty; kontaktujte nas; spojeni; kapcsolat; elerhetoseg; elerhetosegek; elerhetosegeink
    contacteaza ne; date de contact; iletisim; bize ulasin; bize yazin; kontaktai; kontakti; kontaktid; lien he
    контакт; контакты; контакти; связаться с нами; свяжитесь с нами; обратная связь; зв язатися з нами; звязок; свържете се с нас; за контакти
    επικοινωνια; επικοινωνηστε; stupite u kontakt; hubungi kami; צור קשר; صفحة الاتصال; اتصل بنا; تواصل معنا
    お問い合わせ; お問合せ; お問合わせ; アクセス; 联系我们; 联系方式; 聯絡我們; 聯繫我們; 문의; 연락처; 오시는 길; ติดต่อ`,
  team: `
    team; the team; our team; meet the team; meet our team; teams; people; our people; staff; our staff; staff directory; employees
    leadership; our leadership; leadership team; management; management team; executive team; board; board of directors; founders; who we are; attorneys; our attorneys; lawyers; doctors; our doctors; faculty; partners and staff; advisors
    unser team; das team; ihr team; mitarbeiter; mitarbeitende; ansprechpartner; ansprechpartnerinnen; ihre ansprechpartner; geschaeftsfuehrung; geschaftsfuhrung; geschaeftsleitung; geschaftsleitung; vorstand; praxisteam; kopfe; menschen; die kanzlei; anwalte; rechtsanwalte
    equipe; l equipe; notre equipe; direction; dirigeants; collaborateurs; nos collaborateurs; nos avocats
    equipo; nuestro equipo; el equipo; directivos; plantilla; profesionales; personas; personal
    squadra; il team; il nostro team; lo staff; chi lavora con noi; dirigenza; collaboratori; professionisti; persone; le persone; personale; rappresentanti
    equipa; a equipa; a equipe; nossa equipe; nossa equipa; nosso time; colaboradores; lideranca
    ons team; het team; medewerkers; onze mensen; wie is wie; bestuur; directie; ons kantoor
    zespol; nasz zespol; pracownicy; zarzad; kadra; ludzie; kierownictwo
    vart team; medarbetare; ledning; personal; personalen; ledelse; ansatte; medarbeidere; medarbejdere; vores team; vart lag; henkilosto; henkilokunta; tiimi; johto; starfsfolk
    tym; nas tym; lide; vedeni; vedeni spolecnosti; zamestnanci; csapat; csapatunk; munkatarsak; munkatarsaink; vezetoseg; nas tim; tim
    echipa; echipa noastra; conducere; ekip; ekibimiz; yonetim; kadromuz; komanda; meeskond
    команда; наша команда; сотрудники; руководство; коллектив; специалисты; співробітники; керівництво; екип; нашият екип
    ομαδα; η ομαδα μας; διοικηση; הצוות; فريقنا; فريق العمل
    command staff; our doctors and staff; headmaster; teaching staff; teachers; trustees; officers; committee; council members; councillors; mayor and council; who s who
    vorstand und beirat; gemeinderat; burgermeister; kollegium; lehrkrafte; lehrerkollegium; arzte; unsere arzte; das kollegium
    conseil d administration; le conseil d administration; conseil municipal; les elus; vos elus; le bureau; enseignants; nos praticiens; l office
    equipo directivo; equipo docente; profesorado; claustro; junta directiva; organos de gobierno; consejo; docenti; consiglio direttivo; direttivo; i soci; sindaco e giunta
    direcao; corpo docente; orgaos sociais; corpos sociais; diretoria; quem e quem; bestuursleden; onze artsen; leerkrachten
    styrelse; styrelsen; styret; bestyrelse; bestyrelsen; hallitus; larare; stjorn; nauczyciele; grono pedagogiczne; wladze; wladze stowarzyszenia; rada; rada miasta
    vybor; zastupitelstvo; zamestnanci skoly; ucitele; pedagogove; pedagogicky sbor; urad; obecni urad; starosta; elnokseg; tanarok; tantestulet; tanaraink; yonetim kurulu; hekimlerimiz; doktorlarimiz; ekibimizle tanisin
    所員紹介; 代表紹介; 代表者紹介; 代表挨拶; ごあいさつ; プロフィール; 院長紹介
    スタッフ; スタッフ紹介; メンバー; メンバー紹介; 役員; 役員紹介; 社員紹介; 团队; 我们的团队; 團隊; 管理团队; 경영진; 구성원; 임직원
    committee; committees; officers; trustees; board of trustees; board of management; council; councillors; town council; parish council; supervisory board; advisory board; auditors; governors
    aufsichtsrat; beirat; hochschulrat; stadtrat; gemeinderat; kreistag; kuratorium; ausschuss; ausschusse; rektorat; dekanat; kassenprufer; kirchenvorstand; elternbeirat
    conseil d administration; conseil municipal; bureau; elus; les elus; vos elus; conseil de surveillance; junta directiva; junta de gobierno; corporacion municipal; corporacion; concejales; patronato; consejo rector
    consiglio direttivo; direttivo; consiglio comunale; giunta; giunta comunale; collegio sindacale; revisori dei conti; direcao; orgaos sociais; corpos sociais; conselho fiscal; assembleia geral; camara municipal; executivo municipal; vereacao
    bestuur; het bestuur; raad; gemeenteraad; college van b en w; raad van toezicht; kascommissie; rada gminy; komisja rewizyjna; rada nadzorcza; zarzad; dozorci rada; revizni komise; zastupitelstvo obce; rada obce
    kommunfullmaktige; kommunstyrelsen; valberedning; kommunestyret; formannskapet; valgkomite; kommunalbestyrelsen; byradet; kunnanhallitus; kunnanvaltuusto; hallitus
    felugyelo bizottsag; kepviselo testulet; kuratorium; consiliul local; consiliul director; comisia de cenzori; denetim kurulu; belediye meclisi; διοικητικο συμβουλιο; δημοτικο συμβουλιο; ελεγκτικη επιτροπη
    executivo; o executivo; assembleia; assembleia de freguesia; assembleia municipal; corpo clinico; kyrkorad; kyrkoradet; kyrkofullmaktige; menighedsrad; menighedsradet; menighetsrad; kirchenrat; pfarrgemeinderat; presbyterium; kerkenraad
    specialists; our specialists; spezialisten; specialistes; nos specialistes; nos medecins; especialistas; medicos; nuestros medicos; specialisti; i nostri specialisti; medici; i nostri medici; specialisten; artsen; specjalisci; lekarze; nasi lekarze; dyrekcja; lekari; nasi lekari
    upravni odbor; nadzorni odbor; uprava; ljudi; nasi ljudi; zaposleni; zaposlenici; djelatnici; tko smo`,
  members: `
    members; our members; member directory; members directory; membership directory; member list; directory; business directory; exhibitors; exhibitor list; tenants; our tenants; shops; stores directory; store directory; stallholders; traders; vendors; residents; clubs; local businesses
    mitglieder; unsere mitglieder; mitgliederliste; mitgliederverzeichnis; mitgliedsbetriebe; mitgliedsunternehmen; aussteller; ausstellerverzeichnis; unsere handler; handlerverzeichnis; geschafte; mieter; firmenverzeichnis; branchenbuch; branchenverzeichnis; gewerbe; gastgeber; vereine; shops und gastro
    membres; nos membres; adherents; nos adherents; annuaire; annuaire des membres; annuaire des adherents; exposants; commercants; nos commercants; boutiques; associations; annuaire des associations; artisans
    socios; nuestros socios; miembros; directorio; directorio de socios; asociados; empresas asociadas; expositores; comercios; tiendas; ampa; soci; i nostri soci; elenco soci; associati; espositori; negozi; aziende associate
    associados; os nossos associados; lojas; lojistas; bancas; as nossas bancas; comerciantes; feirantes; leden; onze leden; ledenlijst; aangesloten bedrijven; deelnemers; huurders; onze huurders; winkels; bedrijvengids; exposanten; wie zit er
    medlemmar; vara medlemmar; medlemsforetag; medlemmer; vore medlemmer; medlemsbedrifter; medlemsvirksomheder; butiker; butikker; utstallare; jasenet; jasenyritykset
    czlonkowie; nasi czlonkowie; lista czlonkow; katalog firm; wystawcy; najemcy; sklepy; clenove; nasi clenove; seznam clenu; vystavovatele; adresar firem; spolky; obchody; tagok; tagjaink; tagsag; taglista; kiallitok; uzletek
    uyeler; uyelerimiz; uye listesi; uye firmalar; katilimcilar; magazalar; membri; membrii; membrii nostri; expozanti
    участники; члены; члены ассоциации; каталог компаний; арендаторы; магазины; члени; учасники; μελη; τα μελη μας; καταστηματα
    会員一覧; 会員名簿; 会員企業; 会員紹介; 加盟店; 店舗一覧; テナント; 出展者; 会员名录; 会员单位; 회원사; 입점업체`,
  about: `
    profile; club; the club; our school; the school; our practice; the firm; the association; our church
    profil; portrait; die schule; unsere schule; schule; der verein; verein; die praxis; praxis; kanzlei; wer wir sind; die gemeinde
    l ecole; ecole; le cabinet; cabinet; l etude; etude; l association; la mairie; mairie; el colegio; colegio; la escuela; el despacho; la asociacion; la clinica; la scuola; lo studio; l associazione
    a escola; escola; a associacao; a clinica; de school; de vereniging; de praktijk; vereniging; skolan; foreningen; om foreningen; skolen; szkola; o szkole; o stowarzyszeniu; stowarzyszenie
    skola; o skole; o spolku; ordinace; kdo jsme; az egyesuletrol; egyesulet; iskolank; dernek; dernegimiz; dernek hakkinda; klinigimiz; muayenehane
    事務所案内; 事務所概要; 団体概要; 学校案内; 医院案内; 当社について; 業務案内
    about; about us; aboutus; about company; company; our company; our story; company profile
    ueber uns; uber uns; ueberuns; unternehmen; firma; wir uber uns; wir ueber uns; das unternehmen; firmenprofil
    a propos; a propos de nous; qui sommes nous; l entreprise; entreprise; notre histoire; societe
    sobre nosotros; quienes somos; nosotros; la empresa; empresa; acerca de; conocenos
    chi siamo; l azienda; azienda; la nostra storia; la societa
    sobre nos; quem somos; a empresa; sobre
    over ons; wie zijn wij; wie we zijn; het bedrijf; ons verhaal; bedrijf
    o nas; o firmie; kim jestesmy
    om oss; om os; om foretaget; om virksomheden; tietoa meista; meista; yritys; um okkur
    o spolecnosti; kdo jsme; o firme; o nama; o podjetju; rolunk; cegunkrol; bemutatkozas
    despre noi; despre; hakkimizda; kurumsal; biz kimiz; apie mus; par mums; meist; ve chung toi; gioi thieu; tentang kami
    о нас; о компании; компания; про нас; про компанію; за нас; за компанията
    σχετικα με εμας; η εταιρεια; ποιοι ειμαστε; אודות; من نحن; عن الشركة
    会社概要; 会社案内; 企業情報; 会社情報; 私たちについて; 关于我们; 關於我們; 公司简介; 公司簡介; 회사소개; 회사 소개; เกี่ยวกับเรา`,
  support: `
    support; customer support; customer service; help; help center; community; security; responsible disclosure; code of conduct
    hilfe; kundendienst; kundenservice; sicherheit; aide; assistance; service client; ayuda; atencion al cliente; soporte; assistenza; supporto; ajuda; suporte; klantenservice; hulp
    pomoc; wsparcie; kundtjanst; kundeservice; asiakaspalvelu; podpora; zakaznicky servis; ugyfelszolgalat; musteri hizmetleri; destek; ajutor; поддержка; помощь; підтримка; サポート; 支持; 고객지원`,
  privacy: `
    privacy; privacy policy; privacy notice; privacy statement; data protection
    datenschutz; datenschutzerklaerung; datenschutzerklarung; datenschutzhinweise
    confidentialite; politique de confidentialite; donnees personnelles; protection des donnees
    privacidad; politica de privacidad; proteccion de datos
    informativa privacy; privacidade; politica de privacidade; privacybeleid; privacyverklaring
    polityka prywatnosci; rodo; integritetspolicy; personvern; privatlivspolitik; tietosuoja; tietosuojaseloste
    ochrana osobnich udaju; adatvedelem; adatkezelesi tajekoztato; politica de confidentialitate; gizlilik; gizlilik politikasi; kvkk
    политика конфиденциальности; конфиденциальность; політика конфіденційності; политика за поверителност; πολιτικη απορρητου
    プライバシーポリシー; 個人情報保護方針; 隐私政策; 隱私權政策; 개인정보처리방침`,
};

/** Pages below these are about many topics, whatever words are in their names. */
const NEWS =
  /^(?:blog|blogs|news|press|presse|aktuelles|actualites|actualite|noticias|notizie|novosti|nieuws|nyheter|events?|veranstaltungen|tags?|categor(?:y|ies)|kategorie|author|autor|archive|archiv|jobs?|careers?|karriere|products?|produkte?|shop|store|cart|warenkorb|articles?|artikel|posts?|magazin|stories|wiki|forum|docs)$/;

/** Pages about people who are not of the organisation: those of the past, guests, and visitors who write there. */
const OTHERS =
  /^(?:alumni|our-alumni|alumnae|former-(?:members|students|staff)|ehemalige|anciens(?:-eleves)?|antiguos-alumnos|ex-alunos|ex-allievi|oud-leerlingen|absolwenci|absolventi|seminars?|seminar-series|colloquium|colloquia|kolloquium|speakers?|our-speakers|referenten|ponentes|intervenants|relatori|sprekers|foredragsholdere|talare|prelegenci|guest-?book|gastebuch|gaestebuch|livre-d-or|libro-de-visitas|libro-degli-ospiti|gastenboek|gastbok(?:en)?|gjestebok|gaestebog|vieraskirja|ksiega-gosci|navstevni-kniha|vendegkonyv|testimonials?|sponsors?|our-sponsors|sponsoren|partenaires|nos-partenaires|patrocinadores|sponsorer)$/;

/** Text in the form in which names are compared: lower case, no accents, `-` between and around its words. */
export function inWordsOf(text: string): string {
  const plain = text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ı', 'i')
    .replaceAll('ø', 'o')
    .replaceAll('æ', 'ae')
    .replaceAll('ł', 'l')
    .replaceAll('đ', 'd')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-');
  return `-${plain.replaceAll(/^-|-$/g, '')}-`;
}

/** Scripts without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

const KINDS: readonly NamedPageKind[] = [
  'imprint',
  'contact',
  'team',
  'members',
  'about',
  'support',
  'privacy',
];

/** Names in scripts with word boundaries, by their words; and names in scripts without. */
const SPACED = new Map<string, NamedPageKind>();
const WITHIN: { kind: NamedPageKind; name: string }[] = [];
let mostWords = 1;
for (const kind of KINDS) {
  for (const written of NAMES[kind].split(/[;\n]/)) {
    const name = inWordsOf(written).slice(1, -1);
    if (name === '') continue;
    if (UNSPACED.test(name)) {
      WITHIN.push({ kind, name });
    } else if (!SPACED.has(name)) {
      SPACED.set(name, kind);
      mostWords = Math.max(mostWords, name.split('-').length);
    }
  }
}

export interface NamedPage {
  kind: NamedPageKind;
  /** The share of the text that the name makes up, above 0 and up to 1. */
  share: number;
}

/** Longer texts are not names. */
const MAX_NAME_LENGTH = 80;
/** `Our team has won an award` is not a team page. */
const MIN_SHARE = 0.3;

/** The purpose of a page with this name or link text; null when the name does not tell. */
export function kindOfName(text: string): NamedPage | null {
  if (text.length > MAX_NAME_LENGTH) return null;
  const words = inWordsOf(text).slice(1, -1);
  const size = words.replaceAll('-', '').length;
  let best: NamedPage | null = null;
  for (const { kind, name } of namesWithin(words)) {
    const share = name.replaceAll('-', '').length / size;
    const isBetter =
      best === null ||
      share > best.share ||
      (share === best.share && KINDS.indexOf(kind) < KINDS.indexOf(best.kind));
    if (share >= MIN_SHARE && isBetter) best = { kind, share };
  }
  return best;
}

function namesWithin(text: string): { kind: NamedPageKind; name: string }[] {
  const found = UNSPACED.test(text) ? WITHIN.filter(({ name }) => text.includes(name)) : [];
  const words = text.split('-');
  for (let start = 0; start < words.length; start += 1) {
    for (let count = 1; count <= mostWords && start + count <= words.length; count += 1) {
      const name = words.slice(start, start + count).join('-');
      const kind = SPACED.get(name);
      if (kind !== undefined) found.push({ kind, name });
    }
  }
  return found;
}

export function isNewsName(text: string): boolean {
  return NEWS.test(inWordsOf(text).slice(1, -1));
}

/** Whether a page with this name is about people or organisations that are not the site's own. */
export function isNameOfOthers(text: string): boolean {
  return OTHERS.test(inWordsOf(text).slice(1, -1));
}
