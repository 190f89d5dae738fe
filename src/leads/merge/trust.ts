import type { Technique } from '#src/leads/extract/contact-card.ts';
import type { Evidence } from './lead-draft.ts';

/**
 * How far a value is trusted, from 0 to 1, by the way it was found: first what a site marks up for machines, then
 * working links, then addresses that had to be decoded, then visible text. `page-title` is a guess.
 */
const TRUST: Readonly<Record<Technique, number>> = {
  'json-ld': 0.9,
  microdata: 0.9,
  rdfa: 0.9,
  vcard: 0.9,
  'h-card': 0.88,
  mailto: 0.85,
  'tel-link': 0.85,
  whatsapp: 0.85,
  'profile-link': 0.85,
  cloudflare: 0.85,
  'script-json': 0.8,
  obfuscated: 0.75,
  'visible-text': 0.6,
  meta: 0.6,
  'team-card': 0.6,
  'team-name': 0.5,
  'member-card': 0.6,
  'page-title': 0.4,
};

export function trustOf(technique: Technique): number {
  return TRUST[technique];
}

/** The highest trust in the evidence; 0 without any. */
export function bestTrust(evidence: readonly Evidence[]): number {
  return evidence.reduce((best, { technique }) => Math.max(best, TRUST[technique]), 0);
}

/** Marked up for machines, so values in one place belong together. */
export function isStructured(technique: Technique): boolean {
  return TRUST[technique] >= TRUST['h-card'];
}
