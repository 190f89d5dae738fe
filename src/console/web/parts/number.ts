import { html, type Part } from './html.ts';

/** Between groups of three digits: a thin space that does not break. */
const THIN = '\u202f';

export function countText(value: number): string {
  const sign = value < 0 ? '−' : '';
  const [whole = '0', rest] = String(Math.abs(value)).split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, THIN);
  return sign + grouped + (rest === undefined ? '' : `.${rest}`);
}

/** Stands for a value that is missing. */
export const NONE = '–';

/** A count. Nothing known is a dash. */
export function count(value: number | null | undefined): Part {
  return html`<span class="number">${typeof value === 'number' ? countText(value) : NONE}</span>`;
}

/** `3 documents`, `1 document`. */
export function plural(value: number, one: string, many: string = `${one}s`): string {
  return `${countText(value)} ${value === 1 ? one : many}`;
}

/** `310 ms`, `4.1 s`, `12 min`, `3 h`, `2 d` */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = seconds / 60;
  if (minutes < 90) return `${Math.round(minutes)} min`;
  const hours = minutes / 60;
  if (hours < 36) return `${Math.round(hours)} h`;
  return `${Math.round(hours / 24)} d`;
}

export function duration(ms: number | null | undefined): Part {
  return html`<span class="number">${typeof ms === 'number' ? durationText(ms) : NONE}</span>`;
}

const BYTE_UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** `812 bytes`, `1.4 MB`, `250 GB` */
export function bytesText(bytes: number): string {
  const power = Math.min(4, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1_000 ** power;
  const shown =
    power > 0 && value < 10 ? value.toFixed(1).replace(/\.0$/, '') : countText(Math.round(value));
  return `${shown} ${BYTE_UNITS[power] ?? ''}`;
}

/** An amount of money in its minor units. */
export function moneyText(minor: number, currency: string): string {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(minor / 100);
}
