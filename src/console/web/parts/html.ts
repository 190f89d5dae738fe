import { html as bound } from 'htm/preact';
import type { ComponentChild, ComponentChildren } from 'preact';

/**
 * Markup as a tagged template. Values become text or attributes, never markup: nothing in the console writes HTML from
 * a string.
 */
export const html = bound;

/** What a part returns and what may stand inside one. */
export type Part = ComponentChild;
export type Parts = ComponentChildren;
