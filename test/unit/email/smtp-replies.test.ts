import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { classifyReply, smtpFailureOf } from '#src/email/classify-reply.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

const REPLIES = resolve(import.meta.dirname, '../../fixtures/smtp-replies.tsv');

const rows = readFileSync(REPLIES, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [server = '', command = '', expected = '', reply = ''] = line.split('\t');
    return { server, command, expected, response: reply.replaceAll('\\n', '\n') };
  });

test('there are enough of them', () => {
  expect(rows.length).toBeGreaterThanOrEqual(120);
});

test.each(rows)(
  '$server: $command answered with "$response"',
  ({ command, response, expected }) => {
    const failure = smtpFailureOf({
      code: 'EENVELOPE',
      command,
      response,
      responseCode: Number(response.slice(0, 3)),
    });
    const { errorClass, isTemporary } = classifyReply(failure, 587);
    expect({ errorClass, isTemporary }).toEqual({
      errorClass: expected,
      isTemporary: response.startsWith('4'),
    });
  },
);

test('a long reply costs little', () => {
  for (const text of [
    'a '.repeat(4_000),
    'mailbox '.repeat(2_000),
    'exceed '.repeat(2_000),
    'x'.repeat(50_000),
  ]) {
    const response = `550 5.7.1 ${text}`;
    const failure = smtpFailureOf({ command: 'RCPT TO', response, responseCode: 550 });
    expect(cpuMsOf(() => classifyReply(failure, 587))).toBeLessThan(200);
  }
});
