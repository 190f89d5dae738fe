import type { CardExtent } from './card-extent.ts';
import type { PageLine, PageLines } from './page-lines.ts';
import { withoutEdges } from './role-text.ts';

const MAX_LINES = 14;
const LONGEST_NAME = 60;
const LABEL =
  /^(?:company|organi[sz]ation|employer|firma|unternehmen|arbeitgeber|société|entreprise|empresa|azienda|bedrijf|företag|会社名?|公司|회사)\s*[:：]\s*(.+)$/iu;
const COMPANY_CLASS =
  /(?:^|[\s_-])(?:company|company-?name|org|org-?name|organi[sz]ation|employer)(?:$|\s)/i;

/** The employer that a label or the markup in a card states for a person. */
export function markedCompany({ from, to }: CardExtent, { lines }: PageLines): string | null {
  for (const line of lines.slice(from, Math.min(to, from + MAX_LINES))) {
    const written = LABEL.exec(line.text)?.[1] ?? markedPiece(line);
    const company = withoutEdges(written ?? '');
    const isName = company.length >= 2 && company.length <= LONGEST_NAME && !/[@:]/u.test(company);
    if (isName) return company;
  }
  return null;
}

function markedPiece({ pieces, elements }: PageLine): string | null {
  const at = elements.findIndex((element) =>
    COMPANY_CLASS.test((element?.attribs['class'] ?? '').slice(0, 200)),
  );
  return pieces[at] ?? null;
}
