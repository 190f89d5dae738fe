import type { Field } from '#src/console/web/parts/form.ts';
import { durationText } from '#src/console/web/parts/number.ts';

const NEVER = 'never';
const USUAL = [
  [300, 'every 5 minutes'],
  [900, 'every 15 minutes'],
  [1_800, 'every half hour'],
  [3_600, 'every hour'],
  [21_600, 'every 6 hours'],
  [86_400, 'every day'],
  [604_800, 'every week'],
  [2_592_000, 'every 30 days'],
] as const;

/** How often something is done by itself: a usual time, the present one, or never. */
export function frequencyField(name: string, label: string, seconds: number | null): Field {
  const isUsual = USUAL.some(([usual]) => usual === seconds);
  const all = isUsual || seconds === null ? USUAL : [[seconds, everyText(seconds)], ...USUAL];
  return {
    name,
    label,
    kind: 'choice',
    isRequired: true,
    value: seconds === null ? NEVER : String(seconds),
    options: [
      ...all.map(([value, text]) => ({ value: String(value), text: String(text) })),
      { value: NEVER, text: 'only when asked to' },
    ],
  };
}

export function secondsOf(value: unknown): number | null {
  return value === NEVER || value === null || value === undefined ? null : Number(value);
}

export function everyText(seconds: number | null): string {
  if (seconds === null) return 'only when asked to';
  const usual = USUAL.find(([value]) => value === seconds);
  return usual?.[1] ?? `every ${durationText(seconds * 1_000)}`;
}
