import { registrableDomain } from '#src/leads/lexicon/registrable-domain.ts';
import { normalizeEmail } from './normalize-email.ts';

const MAX_FOUND = 200;
const LOCAL = String.raw`(?<![\p{L}\p{N}._%+/-])([a-z0-9][a-z0-9._+-]{0,60})`;
/** A sign, or any word in brackets: before the site's own domain it can only stand for the at sign. */
const SIGN = String.raw`(?:\s?[\[({<（［【/|*_=-]{1,2}\s?[\p{L}\p{N}'-]{1,16}\s?[\])}>）］】/|*_=-]{1,2}\s?|\s?[☆★■□◆◇●○◎※△▲♪§#*¤]\s?)`;
/** In a call such as `mail('jane', 'acme.example')`. */
const QUOTED = /(['"])([^'"\\\s]{1,100})\1/g;

/**
 * Addresses on the site's own domain with anything in place of the at sign: `jane☆acme.example`,
 * `jane [arond] acme.example`.
 */
export function ownDomainEmails(text: string, url: string): string[] {
  const domain = registrableDomain(url);
  if (domain === null || !text.includes(domain)) return [];
  const own = domain.replaceAll('.', String.raw`\.`);
  const pattern = new RegExp(
    `${LOCAL}${SIGN}((?:[a-z0-9-]{1,63}\\.){0,2}${own})(?![\\p{L}\\p{N}-]|\\.\\p{L})`,
    'giu',
  );
  const found: string[] = [];
  for (const [, local = '', host = ''] of text.matchAll(pattern)) {
    const email = /^www\./i.test(host) ? null : normalizeEmail(`${local}@${host}`);
    if (email !== null) found.push(email);
    if (found.length >= MAX_FOUND) break;
  }
  return found;
}

/** The address that a link's script puts together from the site's domain and one other text. */
export function ownDomainEmailOfCode(code: string, url: string): string[] {
  const domain = registrableDomain(url);
  // Code that joins texts is read as such.
  if (domain === null || !code.includes(domain) || code.includes('+')) return [];
  const texts = [...code.slice(0, 1_000).matchAll(QUOTED)].map((match) => match[2] ?? '');
  const others = texts.filter((text) => text !== domain && /^[a-z0-9][a-z0-9._+-]*$/i.test(text));
  const [local] = others;
  if (local === undefined || others.length > 1 || !texts.includes(domain)) return [];
  return [normalizeEmail(`${local}@${domain}`)].filter((email) => email !== null);
}
