import { plainLetters } from './role-lexicon.ts';

/** Keys of data that pages embed for their scripts, in the languages of their authors; without accents and signs. */
const WORDS = {
  name: 'name fullname displayname title naam navn namn nom nome nombre nazwa nazwisko nazev jmeno nev nume nimi isim adi ad bezeichnung titel titre titulo titolo tittel label imie имя фио название',
  first:
    'firstname givenname first vorname prenom voornaam fornavn fornamn nombre nome imie jmeno krestnijmeno keresztnev utonev prenume etunimi ad isim имя',
  last: 'lastname familyname surname last nachname familienname nom achternaam efternavn etternavn efternamn apellido apellidos cognome sobrenome apelido nazwisko prijmeni priezvisko vezeteknev csaladnev nume sukunimi soyad soyadi фамилия',
  company:
    'company companyname organisation organization organisationname organizationname org business businessname firm firma firmenname firmanavn unternehmen betrieb verein vereinsname societe entreprise raisonsociale empresa razonsocial azienda ragionesociale denominazione bedrijf bedrijfsnaam foretag foretagsnamn virksomhed virksomhet forening yritys spolecnost nazevfirmy nazwafirmy ceg cegnev firmanev societatea sirket компания организация',
  role: 'role jobtitle position function funktion job designation poste fonction cargo ruolo stanowisko subtitle title rolle rol roll functie stilling tittel titel befattning tehtava nimike asema beosztas munkakor funkce pozice funkcja funcao puesto funcion qualifica mansione gorev unvan functia должность',
  email:
    'email mail contactemail businessemail companyemail publicemail emailaddress emailadresse emailadres emailaddr mailadresse epost eposta posta correo correoelectronico courriel mel sahkoposti sposti почта',
  phone:
    'phone telephone tel phonenumber contactphone contactphonenumber businessphone companyphone publicphone mobile directdial directphone direct durchwahl cell telefon telefono telefone telefoon telefoonnummer telefonnummer telefonnr tlf mobil mobiel mobilnummer gsm handy movil celular telemovel cellulare portable komorka telefonszam puhelin matkapuhelin cep phonemobile phoneoffice телефон',
  profile:
    'linkedin linkedinurl twitter twitterurl x xurl facebook facebookurl instagram instagramurl',
  website:
    'website web url site homepage siteweb sitoweb sitio paginaweb www webseite webpage hjemmeside hemsida nettside nettsted kotisivu weboldal honlap stranka stranky strona stronawww websitesi сайт',
  /** An object with contacts, or the person to contact. */
  contact:
    'contact contacts contactdetails contactinfo contactinformation contactperson contactpersoon contactname kontakt kontaktperson kontaktdaten ansprechpartner ansprechperson interlocuteur contacto contatto contato referente responsable coordonnees gegevens osobakontaktowa kontaktniosoba kapcsolattarto yhteyshenkilo person persona persoon',
  /** Who leads an organisation. */
  leader:
    'owner manager director president chair chairman chairperson principal founder ceo leader head inhaber inhaberin leitung leiter leiterin geschaeftsfuhrer geschaftsfuhrer vorsitz vorsitzender vorsitzende gerant gerante proprietaire dirigeant directeur directrice presidente propietario titular director gerente titolare proprietario direttore eigenaar zaakvoerder directeur bestuurder voorzitter indehaver direktor formand leder dagligleder eier agare innehavare ordforande omistaja puheenjohtaja wlasciciel kierownik prezes vedouci majitel jednatel predseda tulajdonos vezeto elnok proprietar administrator sahibi baskan mudur владелец директор',
  social: 'social socials socialmedia sociallinks profiles reseaux redes',
} as const;
export type ScriptKey = keyof typeof WORDS;

const LISTS = new Map(
  Object.entries(WORDS).map(([key, words]) => [key, words.split(' ')] as const),
);
const MAX_KNOWN = 5_000;
const LONGEST_KEY = 40;
const known = new Map<string, string>();

/** The spellings of a key, the most telling first. */
export function spellingsOf(key: ScriptKey): readonly string[] {
  return LISTS.get(key) ?? [];
}

/** A key in the form of these lists: `E-Mail_Adresse` is `emailadresse`. */
export function plainKey(written: string): string {
  if (written.length > LONGEST_KEY) return '';
  const before = known.get(written);
  if (before !== undefined) return before;
  const plain = plainLetters(written).replaceAll(/[^\p{L}\p{N}]/gu, '');
  if (known.size < MAX_KNOWN) known.set(written, plain);
  return plain;
}
