import { childrenOf, type HtmlElement, isElement, oneLine, rawText } from '#src/files/html-tree.ts';
import { plainLetters } from './role-lexicon.ts';

/** What a table header says about the cells below it. */
export type Column = 'name' | 'title' | 'email' | 'phone' | 'fax' | 'company';

const MAX_ROWS = 2_000;
const MAX_COLUMNS = 30;
const LONGEST_HEAD = 40;
const MAX_LEVELS_TO_BOLD = 4;
const HEADS: readonly (readonly [Column, RegExp])[] = [
  [
    'fax',
    wholeWords('fax|telefax|faxnummer|telefaks|faks|факс|传真|傳真|ファックス|팩스|φαξ|فاكس|פקס'),
  ],
  [
    'email',
    wholeWords(
      'e-?mails?|mails?|e-?mail adress?e?|e-?post|s-?posta|e-?posta|correo|correo electronico|courriel|posta|posta elettronica|sahkoposti|mel|почта|эл почта|электронная почта|e-mail|имейл|пошта|メール|メールアドレス|邮箱|電子郵件|이메일|אימייל|البريد الالكتروني',
    ),
  ],
  [
    'phone',
    wholeWords(
      'phones?|telephones?|tel|phone number|direct|direct line|direct dial|mobile|cell|ext|telefon|telefone|telefono|telefoon|telefonnummer|telefony|telefonszam|durchwahl|mobil|mobiel|handy|tlf|puhelin|puh|gsm|movil|celular|telemovel|cellulare|portable|komorka|cep|телефоны?|тел|моб|電話|電話番号|电话|手机|전화|전화번호|τηλεφωνο|τηλ|טלפון|هاتف|الهاتف|โทรศัพท์',
    ),
  ],
  [
    'company',
    wholeWords(
      'company|company name|business|business name|organi[sz]ation|firm|firma|firmenname|unternehmen|betrieb|verein|mitgliedsunternehmen|mitgliedsbetrieb|societe|entreprise|raison sociale|etablissement|empresa|negocio|comercio|razon social|entidad|azienda|ditta|ragione sociale|esercizio|loja|bedrijf|bedrijfsnaam|onderneming|foretag|foretagsnamn|forening|forening/foretag|firmanavn|virksomhet|virksomhed|yritys|yrityksen nimi|nazwa firmy|nazwa|przedsiebiorstwo|spolecnost|nazev|nazev firmy|cegnev|ceg|denumire|societatea|sirket|firma adi|isletme|компания|организация|предприятие|会社名|企業名|店舗名|公司|企业|회사명|업체명|επιχειρηση|εταιρεια',
    ),
  ],
  [
    'title',
    wholeWords(
      'title|job title|job|role|position|function|responsibility|post|occupation|profession|funktion|position|rolle|aufgabe|aufgaben|aufgabenbereich|zustandigkeit|department|dept|unit|section|division|office|abteilung|departement|departamento|reparto|ufficio|afdeling|dzial|oddeleni|avdelning|avdeling|osasto|osztaly|departament|birim|bolum|отдел|部署|部門|부서|tatigkeit|beruf|stelle|bereich|fonction|poste|role|metier|qualite|cargo|puesto|funcion|funcao|ruolo|mansione|qualifica|incarico|carica|functie|rol|taak|stanowisko|funkcja|funkce|pozice|pozicia|funkcia|befattning|roll|titel|stilling|rolle|tittel|tehtava|tehtavanimike|nimike|asema|beosztas|munkakor|pozicio|functia|functie|pozitie|gorev|gorevi|unvan|pozisyon|должность|посада|длъжност|позиция|役職|職種|担当|职位|職位|职务|職務|직위|직책|직급|θεση|ιδιοτητα|תפקיד|المنصب|الوظيفة|ตำแหน่ง',
    ),
  ],
  [
    'name',
    wholeWords(
      'name|full name|names|who|person|contact person|employee|staff|team member|member|contact name|director|ansprechpartner(?:in)?|kontaktperson|contactpersoon|interlocuteur|persona de contacto|referente|pessoa de contacto|osoba kontaktowa|kontaktni osoba|kapcsolattarto|yhteyshenkilo|yetkili|yetkili kisi|ilgili kisi|контактное лицо|担当者|联系人|담당자|mitarbeiter(?:in)?|wer|vor- und nachname|nom|noms|noms? et prenoms?|prenom et nom|nombre|nombre y apellidos|nome|nome e cognome|cognome,? (?:e )?nome|nominativo|nachname,? vorname|nom,? prenom|apellidos,? (?:y )?nombre|apelidos,? e nome|sukunimi,? etunimi|efternamn,? fornamn|surname,? (?:first|given) name|last name,? first name|numele si prenumele|soyad,? ad|фамилия,? имя|naam|imie i nazwisko|nazwisko|nazwisko i imie|jmeno|jmeno a prijmeni|prijmeni,? (?:a )?jmeno|meno|meno a priezvisko|priezvisko,? (?:a )?meno|namn|navn|nimi|nev|nume|nume si prenume|ad soyad|adi soyadi|isim|имя|фио|ф и о|сотрудник|імя|піб|име|氏名|名前|お名前|姓名|名字|이름|성명|ονομα|ονοματεπωνυμο|שם|الاسم|ชื่อ',
    ),
  ],
];

const known = new WeakMap<HtmlElement, ReadonlyMap<HtmlElement, Column>>();
const headers = new WeakMap<HtmlElement, ReadonlyMap<HtmlElement, string>>();

/** The content of a cell by its table header; null when no header tells, and for the header itself. */
export function columnOf(cell: HtmlElement): Column | null {
  const table = tableOf(cell);
  if (!table) return null;
  const columns = known.get(table) ?? readColumns(table);
  known.set(table, columns);
  return columns.get(cell) ?? null;
}

/** The columns that the headers of the surrounding table announce. */
export function columnsAround(cell: HtmlElement): ReadonlySet<Column> {
  const table = tableOf(cell);
  columnOf(cell);
  return new Set(table ? known.get(table)?.values() : []);
}

/** The text of the header above a cell; null when its table has no header. */
export function headerOf(cell: HtmlElement): string | null {
  const table = tableOf(cell);
  columnOf(cell);
  return (table && headers.get(table)?.get(cell)) ?? null;
}

/** What a label or column header announces. */
export function columnNamed(label: string): Column | null {
  if (label.length > LONGEST_HEAD) return null;
  const plain = plainLetters(oneLine(label))
    .replace(/[.:*#()/’']+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return plain === '' ? null : (HEADS.find(([, head]) => head.test(plain))?.[0] ?? null);
}

function wholeWords(words: string): RegExp {
  const one = `(?:${words})`;
  return new RegExp(
    `^(?:your |direct |office )?${one}(?: (?:(?:&|-|und|and|et|y|e|i) )?${one})?$`,
    'u',
  );
}

function tableOf(cell: HtmlElement): HtmlElement | null {
  let at = cell.parent;
  for (let up = 0; at && isElement(at) && up < 4; up += 1) {
    if (at.name === 'table') return at;
    at = at.parent;
  }
  return null;
}

function readColumns(table: HtmlElement): ReadonlyMap<HtmlElement, Column> {
  const written = rowsOf(table);
  // A caption row over the whole table precedes its header.
  const at = written.slice(0, 3).findIndex((row) => new Set(row).size > 1);
  const [head, ...rows] = at === -1 ? [] : written.slice(at);
  const columns = new Map<HtmlElement, Column>();
  if (!head || rows.length === 0) return columns;
  const kinds = head.map((cell) => columnNamed(rawText(cell).slice(0, 2 * LONGEST_HEAD)));
  const distinct = new Set(kinds.filter((kind) => kind !== null)).size;
  const isHead = head.length > 1 && (head.every(({ name }) => name === 'th') || isBoldRow(head));
  if (distinct < 2 && !isHead) return columns;
  const texts = head.map((cell) => oneLine(rawText(cell).slice(0, 2 * LONGEST_HEAD)));
  const above = new Map<HtmlElement, string>();
  for (const row of rows) {
    for (const [at, cell] of row.entries()) {
      const kind = kinds[at];
      if (kind) columns.set(cell, kind);
      above.set(cell, texts[at] ?? '');
    }
  }
  headers.set(table, above);
  return columns;
}

/** Short labels, each emphasized as a whole, as pages have them that know no header cells. */
function isBoldRow(cells: readonly HtmlElement[]): boolean {
  return cells.every((cell) => {
    const text = oneLine(rawText(cell).slice(0, 2 * LONGEST_HEAD));
    return text !== '' && text.length <= LONGEST_HEAD && !/[\d@]/u.test(text) && isBold(cell);
  });
}

/** Whether all text of a cell is in one bold element, at most a few levels down. */
function isBold(cell: HtmlElement): boolean {
  let at = cell;
  for (let down = 0; down < MAX_LEVELS_TO_BOLD; down += 1) {
    const [only, ...more] = childrenOf(at).filter((node) => oneLine(rawText(node)) !== '');
    if (!only || more.length > 0 || !isElement(only)) return false;
    if (only.name === 'b' || only.name === 'strong') return true;
    at = only;
  }
  return false;
}

/** Cells by row; a cell that spans columns is repeated for each of them. */
function rowsOf(table: HtmlElement): HtmlElement[][] {
  const parts = childrenOf(table).filter(isElement);
  const rows = parts.flatMap((part) =>
    part.name === 'tr' ? [part] : childrenOf(part).filter(isElement),
  );
  return rows
    .filter(({ name }) => name === 'tr')
    .slice(0, MAX_ROWS)
    .map((row) =>
      childrenOf(row)
        .filter(isElement)
        .filter(({ name }) => name === 'td' || name === 'th')
        .flatMap((cell) => {
          const span = Math.trunc(Number(cell.attribs['colspan'] ?? 1)) || 1;
          return Array.from({ length: Math.min(Math.max(span, 1), MAX_COLUMNS) }, () => cell);
        })
        .slice(0, MAX_COLUMNS),
    );
}
