import { hasRoleWord, isRoleLine } from '#src/leads/extract/role-words.ts';
import { organizationKey } from '#src/leads/extract/organization-key.ts';

/** "Head of Sales at Acme Ltd", "Entwicklerin bei Acme", but not "Editor at Large". */
const WORKS_AT =
  /^(.{2,70}?),?\s+(?:at|@|bei|chez|presso|hos|w firmie)\s+(?:the\s+)?(\p{Lu}.{1,60})$/u;
const NO_EMPLOYER = /^(?:large|home|work|night|sea)$/iu;

/** Splits a role that is followed by the employer; a role alone stays as it is. */
export function splitEmployer(
  title: string | null,
  company: string | null,
): { title: string | null; company: string | null } {
  const parts = WORKS_AT.exec(title ?? '');
  const [, role = '', employer = ''] = parts ?? [];
  const isEmployer = parts !== null && isRoleLine(role) && !isNotEmployer(employer);
  const isSame = company === null || organizationKey(company) === organizationKey(employer);
  return isEmployer && isSame ? { title: role, company: company ?? employer } : { title, company };
}

function isNotEmployer(text: string): boolean {
  return (
    NO_EMPLOYER.test(text) || text.split(' ').length > 6 || /[,;|]/u.test(text) || hasRoleWord(text)
  );
}
