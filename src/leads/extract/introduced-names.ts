import { readPersonName } from './person-name.ts';
import { isRoleLine } from './role-words.ts';

const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
const LONGEST_LINE = 40;
const MAX_WORDS = 5;
const CONTACT = /@|\d{4}|\d{2}[ -]\d{2}|^(?:e-?mail|mail|tel|phone|fon|mobil|fax|direct)/iu;

/** "代表取締役社長 佐藤 健一", "王伟 总经理": a role and a name separated only by a space. */
export function unspacedNameWithRole(text: string): { name: string; title: string } | null {
  if (text.length > LONGEST_LINE || !UNSPACED.test(text)) return null;
  const words = text.split(/[\s\u3000]+/u);
  if (words.length > MAX_WORDS) return null;
  for (let at = words.length - 1; at > 0; at -= 1) {
    const [before, behind] = [words.slice(0, at).join(' '), words.slice(at).join(' ')];
    for (const [title, written] of [
      [before, behind],
      [behind, before],
    ] as const) {
      const name = readPersonName(written);
      if (name !== null && isRoleLine(title) && readPersonName(title) === null) {
        return { name, title };
      }
    }
  }
  return null;
}

/** The role in the label that introduces a name: "Vertreten durch die Geschäftsführerin:"; null for any other text. */
export function roleOfLabel(label: string): string | null {
  const title = label
    .replace(/^.*\b(?:vertreten durch|represented by)\s*(?:(?:den|die|the)\s+)?/iu, '')
    .replace(/^(?:our|your|the|ihre?|unsere?|notre|votre|nostr[oa]|nuestr[oa])\s+/iu, '');
  return isRoleLine(title) ? title : null;
}

/** The role on a separate line that ends with a colon. */
export function roleOfLabelLine(line: string | undefined): string | null {
  const label = /^([^:：]{2,80})[:：]$/u.exec(line ?? '')?.[1];
  return label === undefined ? null : roleOfLabel(label);
}

/** Whether the line after a name has contacts. */
export function isContactLine(line: string | undefined): boolean {
  return CONTACT.test(line ?? '');
}
