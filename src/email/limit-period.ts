import type { NegativeReply } from './reply-meaning.ts';

/** The periods of sending limits. */
export const LIMIT_PERIODS = ['minute', 'hour', 'day'] as const;
export type LimitPeriod = (typeof LIMIT_PERIODS)[number];

/** Codes of daily limits: 5.4.5 at Gmail; 5.1.90 and 5.7.705 at Exchange Online. */
const DAILY_CODE = /^5\.(?:1\.90|4\.5|7\.705)$/;
const DAILY =
  /\bdaily\b|\bper day\b|\b24[ -]?h(?:our)?s?\b|\btoday\b|\bfor the day\b|\bSubmissionQuotaExceeded|\bcredits exceeded\b/i;
/** Zoho says "unusual activity" for its hourly limit. */
const HOURLY = /\bhourly\b|\b(?:an|per|this) hour\b|\bsending activity\b/i;

/** The period of the limit that a reply mentions; a minute if it names none. */
export function limitPeriodOf({ enhancedCode, text }: NegativeReply): LimitPeriod {
  if (DAILY_CODE.test(enhancedCode) || DAILY.test(text)) return 'day';
  return HOURLY.test(text) ? 'hour' : 'minute';
}
