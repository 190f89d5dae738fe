import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classifyReply } from '#src/email/classify-reply.ts';
import { describeFailure } from '#src/email/describe-failure.ts';
import { SMTP_ERROR_CLASSES } from '#src/email/smtp-error-classes.ts';
import { smtpFailureOf } from '#src/email/smtp-failure.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

const REPLIES = resolve(import.meta.dirname, '../../fixtures/smtp-replies.tsv');

const rows = readFileSync(REPLIES, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [server = '', command = '', expected = '', advice = '', reply = ''] = line.split('\t');
    return { server, command, expected, advice, response: reply.replaceAll('\\n', '\n') };
  });

/** Hosts for advice that depends on the provider. */
const HOSTS: Readonly<Record<string, string>> = {
  Gmail: 'smtp.gmail.com',
  'Exchange Online': 'smtp.office365.com',
  Yahoo: 'smtp.mail.yahoo.com',
  iCloud: 'smtp.mail.me.com',
};

const failureOf = (command: string, response: string) => {
  const code = command.startsWith('AUTH') ? 'EAUTH' : 'EENVELOPE';
  return smtpFailureOf({ code, command, response, responseCode: Number(response.slice(0, 3)) });
};
const classOf = (command: string, response: string) =>
  classifyReply(failureOf(command, response), 587).errorClass;

test('there are enough of them, and of each stage of a session', () => {
  expect(rows.length).toBeGreaterThanOrEqual(240);
  const perCommand = Map.groupBy(rows, ({ command }) => command.split(' ')[0]);
  const commands = ['CONN', 'EHLO', 'STARTTLS', 'AUTH', 'MAIL', 'RCPT', 'DATA'];
  expect(new Set(perCommand.keys())).toEqual(new Set(commands));
  expect(perCommand.get('AUTH')?.length).toBeGreaterThanOrEqual(25);
  expect(rows.filter(({ advice }) => advice === '')).toEqual([]);
});

test.each(rows)(
  '$server: $command answered with "$response"',
  ({ server, command, response, expected, advice }) => {
    const { errorClass, isTemporary, limit } = classifyReply(failureOf(command, response), 587);
    expect({ errorClass, isTemporary }).toEqual({
      errorClass: expected,
      isTemporary: response.startsWith('4'),
    });
    const place = {
      host: HOSTS[server] ?? 'smtp.acme.example',
      port: 587,
      email: 'ada@acme.example',
    };
    expect(describeFailure(errorClass, place, limit)).toContain(advice);
  },
);

describe('the recipient is not blamed', () => {
  test('by the text of any class but the two about the recipient', () => {
    const place = { host: 'smtp.acme.example', port: 587, email: 'ada@acme.example' };
    const blaming = SMTP_ERROR_CLASSES.filter((errorClass) =>
      /\brecipient's\b/.test(describeFailure(errorClass, place)),
    );
    expect(blaming).toEqual(['recipient_rejected', 'mailbox_full']);
  });

  const about = fc.constantFrom('account', 'sender', 'client', 'IP', 'your');
  // No word for a recipient, and no "unknown" or "not found", because an account that has just signed in exists.
  const FILLERS =
    'has been,is,was,not,disabled,suspended,blocked,invalid,inactive,rejected,refused,denied,not allowed,not permitted,for,sending,mail,message,this,the,address,domain,policy,access,unavailable,please';
  const filler = fc.constantFrom(...FILLERS.split(','));
  const CODES =
    '5.0.0 5.1.0 5.1.1 5.1.2 5.1.3 5.1.6 5.1.10 5.2.0 5.2.1 5.3.0 5.4.1 5.4.4 5.5.0 5.5.1 5.7.0 5.7.1 5.7.2 5.7.124';
  const code = fc.constantFrom('', ...CODES.split(' '));
  const words = (most: number) => fc.array(filler, { maxLength: most });
  const reply = fc
    .record({
      status: fc.constantFrom(550, 551, 553, 554),
      code,
      before: words(6),
      about,
      after: words(6),
    })
    .map(({ status, code: enhanced, before, about: subject, after }) =>
      [status, enhanced, ...before, subject, ...after].filter((part) => part !== '').join(' '),
    );

  test.each(['CONN', 'EHLO', 'AUTH PLAIN', 'MAIL FROM', 'RCPT TO', 'DATA'])(
    'by a reply to %s that speaks of the account, the sender, the client, its IP, or "your", and of no recipient',
    (command) => {
      fc.assert(
        fc.property(reply, (response) => {
          expect(classOf(command, response)).not.toBe('recipient_rejected');
        }),
        { numRuns: 2_000 },
      );
    },
  );

  test.each(['AUTH PLAIN', 'MAIL FROM'])(
    'by any reply to %s, which names no recipient',
    (command) => {
      for (const { response } of rows) {
        expect(classOf(command, response)).not.toMatch(/^(?:recipient_rejected|mailbox_full)$/);
      }
    },
  );
});

test('a long reply costs little', () => {
  for (const text of [
    'a '.repeat(4_000),
    'mailbox '.repeat(2_000),
    'exceed '.repeat(2_000),
    'account your too many '.repeat(500),
    'x'.repeat(50_000),
  ]) {
    for (const command of ['RCPT TO', 'AUTH PLAIN', 'CONN']) {
      const failure = failureOf(command, `550 5.7.1 ${text}`);
      expect(cpuMsOf(() => classifyReply(failure, 587))).toBeLessThan(200);
    }
  }
});
