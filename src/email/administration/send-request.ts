import { z } from 'zod';
import { emailAddress } from './account-request.ts';

const MAX_SUBJECT_LENGTH = 500;
const MAX_TEXT_BYTES = 100_000;
const MAX_HTML_BYTES = 500_000;

const body = (maxBytes: number) =>
  z
    .string()
    .min(1)
    .refine((text) => Buffer.byteLength(text) <= maxBytes, `must be at most ${maxBytes} bytes`)
    .refine((text) => !/\0|\p{Cs}/u.test(text), 'must not hold NUL or half surrogate pairs');

export const newMessageSchema = z
  .strictObject({
    to: emailAddress.describe('One recipient.'),
    subject: z
      .string()
      .trim()
      .min(1)
      .max(MAX_SUBJECT_LENGTH)
      .refine(
        (text) => !/\p{Cc}|\p{Cs}/u.test(text),
        'must not hold control characters or half surrogate pairs',
      ),
    text: body(MAX_TEXT_BYTES).describe(`Up to ${MAX_TEXT_BYTES} bytes.`),
    html: body(MAX_HTML_BYTES).nullish().describe(`Up to ${MAX_HTML_BYTES} bytes.`),
    reply_to: emailAddress.nullish(),
  })
  .meta({ id: 'NewEmailMessage' });
export type NewMessage = z.output<typeof newMessageSchema>;
