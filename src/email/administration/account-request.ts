import { z } from 'zod';
import { parseEmailAddress } from '#src/outreach/contact-patterns.ts';
import { Problem } from '#src/platform/errors.ts';
import { knownProviderOf } from '#src/email/known-providers.ts';

/** RFC 1035 §2.3.4. */
const MAX_HOST_LENGTH = 253;
const MAX_USER_LENGTH = 320;
const MAX_PASSWORD_LENGTH = 1_000;
const MAX_NAME_LENGTH = 200;
/** Above every plan's limit, which applies as well. */
const MAX_DAILY_LIMIT = 1_000_000;
const DEFAULT_PORT = 587;
const CONTROL = /\p{Cc}|\p{Cs}/u;
const ONE_LINE = 'must not hold control characters or half surrogate pairs';

/** One plain address, without a display name. */
export const emailAddress = z
  .string()
  .max(320)
  .transform((text, context) => {
    const email = parseEmailAddress(text);
    if (email !== null) return email;
    context.addIssue('must be one plain e-mail address such as jane@example.com');
    return z.NEVER;
  });

const oneLine = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => !CONTROL.test(text), ONE_LINE);

const fields = {
  email: emailAddress.describe('The address that messages come from.'),
  smtp_password: oneLine(MAX_PASSWORD_LENGTH)
    .min(1)
    .describe('Kept encrypted and never shown. Many providers want an app password here.'),
  smtp_user: oneLine(MAX_USER_LENGTH).min(1).optional().describe('`email` unless told.'),
  smtp_host: oneLine(MAX_HOST_LENGTH)
    .min(1)
    .optional()
    .describe('May be left out for the addresses of known providers.'),
  smtp_port: z
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe(
      "The provider's, else 587. 465 and 2465 speak TLS from the start; 587, 2587 and 2525 need STARTTLS; others are refused.",
    ),
  from_name: oneLine(MAX_NAME_LENGTH).optional().describe('Shown beside the address.'),
  daily_limit: z
    .int()
    .min(1)
    .max(MAX_DAILY_LIMIT)
    .nullish()
    .describe('Messages a day, verifications among them; null for as many as the plan allows.'),
};

/** The route adds `time_zone`. */
export const newAccountSchema = z.strictObject(fields);

/** Fields that are not sent stay unchanged. */
export const accountChangeSchema = newAccountSchema.omit({ email: true }).partial();

export type NewAccount = z.output<typeof newAccountSchema> & { time_zone: string };
export type AccountChange = z.output<typeof accountChangeSchema> & {
  time_zone?: string | undefined;
};

/**
 * The server that the request names, or else the known server of the address's provider.
 * @throws Problem BAD_REQUEST
 */
export function serverOf(request: Pick<NewAccount, 'email' | 'smtp_host' | 'smtp_port'>): {
  host: string;
  port: number;
} {
  const known = knownProviderOf(request.email);
  if (request.smtp_host !== undefined) {
    const isKnown = known !== null && known.host === request.smtp_host.toLowerCase();
    return {
      host: request.smtp_host,
      port: request.smtp_port ?? (isKnown ? known.port : DEFAULT_PORT),
    };
  }
  if (known === null) {
    throw new Problem(
      'BAD_REQUEST',
      `body.smtp_host: is required, because no mail provider is known for ${request.email}. Give the host name of its SMTP server, such as smtp.example.com.`,
    );
  }
  return { host: known.host, port: request.smtp_port ?? known.port };
}
