import { plainLetters } from './role-lexicon.ts';

/** Words of headings, menus, products, companies and places that are not part of a person's name. */
const NO_NAME = [
  // English
  'our team us we you your my the and or for with about contact home menu search login register news blog press',
  'careers jobs services service products product solutions solution company companies corporate group holding',
  'reach ask write call ring message email dear please thanks via hello',
  'robotics motors foods games books toys tools machines interiors electronics dynamics laboratories roasters studios brothers sons designs solar aerospace therapeutics biotech',
  'llp pllc incorporated trust shop store bakery brewery farm farms kennels garage bistro bar pub inn lodge cafe caffe universita universitat universite universidad universidade universiteit uniwersytet univerzita universitatea universitetet ateneo laboratory laboratoire laboratorio labor laboratorium atelier urp guild guilde gilde assekuranz versicherung versicherungen assurances assicurazioni seguros verzekeringen forsikring forsakring tours club webbouw webdesign webstudio webagentur webbureau',
  'inc ltd llc gmbh ag kg ohg ug plc corp corporation limited sarl sas srl spa bv nv oy ab as aps sro zoo kft',
  // Firms that let or sell buildings
  'fastigheter fastighet eiendom ejendomme ejendom kiinteistot immobilien immobilier immobiliere inmobiliaria immobiliare imobiliaria imobiliare nieruchomosci nemovitosti reality ingatlan emlak gayrimenkul nekretnine',
  'honorario honoraria honorary honoraire',
  // Institutions, by language
  'chamber authority municipality ministry registry council library commune tribunal chambre prefecture bibliotheque mairie departement',
  'amtsgericht registergericht handelsregister finanzamt gemeinde landkreis rathaus bibliothek vereinigung kammer juzgado registro ayuntamiento diputacion ministerio',
  'tribunale comune regione agenzia biblioteca conservatoria rechtbank gemeente autoriteit bibliotheek urzad izba gmina biblioteka soud urad komora mesto obec knihovna',
  'tingsratt kommun lansstyrelsen bolagsverket bibliotek biblioteket biblioteks kommune kunta kaupunki kirjasto birosag onkormanyzat konyvtar',
  'police polizei polizia policia policja policie politie politiet polisen poliisi starostwo powiatowe powiatowy bankhaus sparkasse volksbank raiffeisenbank poligono industrial',
  'movimento movimiento movement partido partito partei parti alianca alianza alliance coligacao coalicion bundnis servis knjigovodstvo student students hermanos talleres',
  'judecatoria primaria mahkemesi odasi belediyesi kutuphanesi δημος βιβλιοθηκη администрация библиотека',
  'e-mail derecho tech coop niederlassung niederlassungen zweigstelle films clearances clearance fratelli hermanas gebroeders geschwister freres panstwa panstwo panstwu',
  'memorial trophy run court district division revision revisionsbyran compliance treuhand diplome diplomee',
  'privacy policy terms conditions cookie cookies legal notice imprint disclaimer copyright rights reserved',
  'read more learn view all see show download get started start now here click book buy order shop cart checkout',
  'support help faq center centre sales marketing finance customer customers client clients general inquiries',
  'enquiries department office offices headquarters location locations address phone email mail fax website web',
  'team teams staff people leadership management board members member meet history mission vision values story',
  'stories case study studies testimonials reviews partners events event webinar newsletter subscribe follow',
  'social media video videos gallery photo photos image picture portrait resources documentation docs api pricing',
  'plan plans starter premium enterprise basic standard business edition suite platform cloud software app apps',
  'system systems technology technologies digital data analytics security network consulting engineering design',
  'development research quality production logistics operations human accounting administration it hr free trial',
  'demo features feature overview details information info opening hours monday tuesday wednesday thursday',
  'friday saturday sunday january february march july september october november december today',
  'international global worldwide university institute foundation association society school college hospital',
  'clinic hotel restaurant church museum ministry street avenue road boulevard square building floor',
  'north south east central region country united kingdom states america europe asia africa emea apac',
  'cllrs councillors janeiro aires zealand switzerland germany austria france spain',
  'italy poland sweden norway denmark finland netherlands belgium portugal canada australia singapore japan',
  'china india brazil mexico turkey russia ukraine deutschland osterreich schweiz espana italia polska sverige',
  'main quick links useful site map back next previous close open toggle skip content share print save name title',
  'role position this that these those why how what when where who latest recent popular related featured',
  'welcome join best top new first last key senior junior regional national executive commercial technical',
  'creative financial strategic innovation growth success experience performance project projects portfolio',
  'industry industries market markets insurance bank banking investment capital ventures real estate energy',
  'health healthcare medical dental legal law food organic coffee travel tours sports fitness music art studio labs',
  // German
  'unser unsere unseren wir uns uber ihr ihre ihren kontakt impressum datenschutz datenschutzerklarung agb startseite',
  'leistungen leistung produkte produkt unternehmen firma karriere stellenangebote aktuelles anfahrt',
  'offnungszeiten standort standorte ansprechpartner mitarbeiter mitarbeitende geschaft telefon anschrift adresse',
  'mehr erfahren lesen weiter zuruck herzlich willkommen und oder fur mit der die das dem den des im am zum zur',
  'gbr kgaa ohg mbh weingut brauerei gasthof gasthaus baeckerei backerei metzgerei schreinerei gartnerei apotheke verlag',
  'anfragen buro geschaftsstelle vermietung flachen zentrale abteilung',
  'verein gesellschaft stiftung werkstatt praxis kanzlei ihr angebot anfrage versand zahlung warenkorb',
  // French
  'notre nos nous votre equipe contacts accueil mentions legales politique confidentialite produits entreprise',
  'actualites contactez plan site savoir plus lire suite qui sommes horaires adresse telephone conditions generales',
  // Spanish, Portuguese, Italian
  'nuestro nuestra nuestros nuestras equipo nosotros contacto contactenos inicio servicios productos empresa aviso',
  'politica privacidad leer mas sobre quienes somos noticias direccion telefono trabaja nossa nosso equipe equipa',
  'contato contactos servicos produtos noticias leia mais quem endereco nostro nostra squadra contatti siamo',
  'azienda servizi prodotti notizie lavora indirizzo telefono leggi tutto informazioni informativa note legali',
  // Dutch, Nordic
  'ons onze wij over contacteer diensten producten bedrijf nieuws vacatures adres lees meer privacybeleid algemene',
  'vart oss kontakta tjanster produkter foretag foretaget nyheter lediga las mer integritetspolicy medarbetare',
  'vare kontakt tjenester selskapet ansatte medarbejdere vores ydelser nyheder laes yhteytta meista yhteystiedot',
  'palvelut tuotteet yritys uutiset henkilosto lue lisaa tietosuoja',
  // Polish, Czech, Hungarian, Romanian, Turkish
  'nasz nasza zespol nas kontaktowe kontakty uslugi produkty firmie aktualnosci polityka prywatnosci czytaj wiecej',
  'nas tym onas sluzby firme novinky zasady vice cist kapcsolat rolunk csapatunk szolgaltatasok termekek hirek',
  'bize ulasin hanim bey santral muhasebe magazyn komisja rewizyjna biuro sekretariat radio',
  'echipa noastra despre noi servicii produse stiri citeste hakkimizda ekibimiz iletisim hizmetler urunler haberler',
  // Greek, Russian, Ukrainian
  'γραμματεια γραμματειας ομαδα επικοινωνια εμεις σχετικα υπηρεσιες προιοντα наша наши наш команда контакты контакт нас компания компании',
  'услуги продукты продукция новости вакансии главная политика конфиденциальности подробнее читать далее адрес',
  'телефон почта отдел продаж россия москва санкт-петербург обратная связь свяжитесь нами сотрудники контакти',
  'команда про послуги новини головна відділ україна київ адреса',
].join(' ');

export const NO_NAME_WORDS: ReadonlySet<string> = new Set(plainLetters(NO_NAME).split(' '));

/** Endings of the names of institutions, and of firms of a profession, in German, Dutch and the Nordic languages. */
export const INSTITUTION =
  /\p{L}{3}(?:gericht|kammer|behorde|verband|vereinigung|ministerium|gesellschaft|bibliothek|verwaltung|direktion|stiftung|kommun|kommune|forening|foreningen|accountants|advocaten|notarissen|rechtsanwalte|steuerberater|architekten|ingenieure|advokater|arkitekter|asianajajat)$/u;

/** Place names of two words that look like a first name and surname. */
export const PLACE =
  /^(?:(?:new|bad|san|santa|saint|st\.?|são|los|las|el|fort|cape|abu|den|the|sri|costa|north|south|east|west) \p{L}+|hong kong|rio de \p{L}+|buenos aires|kuala lumpur|tel aviv|salt lake city|frankfurt am main|le havre|la paz|palo alto|mountain view|ciudad de méxico|baden[- ]württemberg)$/iu;

/** Particles inside names. */
export const PARTICLES: ReadonlySet<string> = new Set(
  (
    'van de den der ter ten te op het von zu zum zur vom und di da do dos das del della dello dei degli du des le la ' +
    "el al bin ibn ben bint abu af av y e i los las san st st. mc ap ferch oğlu bat 't ’t"
  ).split(' '),
);
