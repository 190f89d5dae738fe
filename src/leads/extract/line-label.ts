import {
  type HtmlElement,
  type HtmlNode,
  isElement,
  oneLine,
  rawText,
} from '#src/files/html-tree.ts';
import type { PageLine } from './page-lines.ts';
import { plainLetters } from './role-lexicon.ts';

const LONGEST_LABEL = 60;
const MAX_LEVELS = 5;
const MAX_STEPS = 20;
/** Labels of the person to contact, without accents. */
const CONTACT_PERSON =
  /^(?:your |our |ihr[e]? |unser[e]? |votre |su |il (?:tuo|vostro) |uw |je )?(?:contacts?|contact persons?|contact name|point of contact|primary contact|kontakt|kontaktperson(?:en)?|kontaktnavn|ansprechpartner(?:in)?|ansprechperson|contactpersoon|contactpersonen|aanspreekpunt|interlocuteur|interlocutrice|personne (?:de|a) contact(?:er)?|contacto|persona de contacto|contatto|persona di riferimento|referente|contato|pessoa de contact?o|responsavel|osoba kontaktowa|osoba do kontaktu|kontaktni osoba|kontaktna osoba|kapcsolattarto|yhteyshenkilo|persoana de contact|ilgili kisi|yetkili|yetkili kisi|irtibat|контактное лицо|контактна особа|лице за контакт|υπευθυνος επικοινωνιας|担当者|担当|联系人|聯絡人|담당자)$/u;

/** The label of a line: the term of its description, or the cell before it in a row of two; null when there is none. */
export function labelOfLine({ elements: [element] }: PageLine): string | null {
  let at: HtmlNode | null = element ?? null;
  for (let up = 0; at && isElement(at) && up < MAX_LEVELS; up += 1) {
    const label = at.name === 'dd' ? termOf(at) : at.name === 'td' ? firstCellOf(at) : null;
    if (label) {
      const text = oneLine(rawText(label).slice(0, 2 * LONGEST_LABEL)).replace(/\s*[:：]$/u, '');
      return text === '' || text.length > LONGEST_LABEL ? null : text;
    }
    at = at.parent;
  }
  return null;
}

/** Whether a label announces the person to contact. */
export function isContactPersonLabel(label: string): boolean {
  if (label.length > LONGEST_LABEL) return false;
  return CONTACT_PERSON.test(
    plainLetters(label)
      .replace(/\s*[:：]$/u, '')
      .trim(),
  );
}

function termOf(description: HtmlElement): HtmlElement | null {
  let at: HtmlNode | null = description.prev;
  for (let steps = 0; at && steps < MAX_STEPS; steps += 1) {
    if (isElement(at) && at.name === 'dt') return at;
    at = at.prev;
  }
  return null;
}

function firstCellOf(cell: HtmlElement): HtmlElement | null {
  const row = cell.parent;
  if (!row || !isElement(row) || row.name !== 'tr') return null;
  const [first, second, ...more] = row.children.filter(isElement);
  return second === cell && more.length === 0 ? (first ?? null) : null;
}
