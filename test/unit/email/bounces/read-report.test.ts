import { describe, expect, it } from 'vitest';
import { readReport } from '#src/email/bounces/read-report.ts';
import {
  SAMPLE_MESSAGE_ID,
  SAMPLE_RECIPIENT,
  sampleNames,
  sampleReport,
} from '#test/support/returned-mail.ts';

const BOB = { final: SAMPLE_RECIPIENT, original: null };
const BOTH = { final: SAMPLE_RECIPIENT, original: SAMPLE_RECIPIENT };

/** Sample, code, cause, whether the address is dead, and the recipients as reported. */
const BOUNCES: [string, string | null, string, boolean, object][] = [
  ['exchange-online-not-found', '5.1.10', 'no_such_address', true, BOB],
  ['exchange-online-restricted', '5.7.133', 'refused', false, BOB],
  ['exim-unknown-user', '5.0.0', 'no_such_address', true, BOB],
  ['gmail-no-such-address', '5.1.1', 'no_such_address', true, BOB],
  ['gmail-policy', '5.7.1', 'refused', false, BOB],
  ['postfix-expired', '4.4.1', 'undelivered', false, BOTH],
  ['postfix-headers-only', '5.1.1', 'no_such_address', true, BOTH],
  ['postfix-mailbox-full', '5.2.2', 'mailbox_full', false, BOTH],
  ['postfix-spam-as-unknown', '5.1.1', 'refused', false, BOTH],
  ['postfix-too-large', '5.3.4', 'too_large', false, BOTH],
  ['postfix-unknown-user', '5.1.1', 'no_such_address', true, BOTH],
  ['qmail-given-up', '4.4.1', 'undelivered', false, BOB],
  ['qmail-no-mailbox', '5.1.1', 'no_such_address', true, BOB],
  ['qmail-remote-refusal', '5.7.1', 'refused', false, BOB],
  ['without-original', '5.1.1', 'no_such_address', true, BOB],
  [
    'postfix-alias-member',
    '5.1.1',
    'no_such_address',
    true,
    { final: 'eve@inside.example', original: SAMPLE_RECIPIENT },
  ],
  [
    'postfix-forwarded',
    '5.1.1',
    'no_such_address',
    true,
    { final: 'bob@elsewhere.example', original: 'bob@elsewhere.example' },
  ],
  [
    'international',
    '5.1.1',
    'no_such_address',
    true,
    { final: 'jörg@münchen.example', original: null },
  ],
];
const SEVERAL = ['exim-plain-text', 'several-recipients'];
const COMPLAINTS = ['arf-abuse', 'arf-abuse-redacted'];
const NONE = [
  'arf-auth-failure',
  'arf-not-spam',
  'automatic-reply',
  'postfix-delayed',
  'reply-with-our-message',
];

describe('a report of returned mail', () => {
  it.each(BOUNCES)('%s is understood', async (name, statusCode, cause, isHard, recipient) => {
    expect(await readReport(sampleReport(name))).toEqual([
      expect.objectContaining({
        kind: 'bounced',
        messageIds: [SAMPLE_MESSAGE_ID],
        statusCode,
        cause,
        isHard,
        recipient,
      }),
    ]);
  });

  it('in plain text may name several recipients, each with its own reason', async () => {
    const found = await readReport(sampleReport('exim-plain-text'));
    expect(found).toMatchObject([
      { recipient: BOB, statusCode: '5.1.1', cause: 'no_such_address', isHard: true },
      {
        recipient: { final: 'carol@firm.example' },
        statusCode: null,
        cause: 'mailbox_full',
        isHard: false,
      },
    ]);
    expect(found.map(({ messageIds }) => messageIds)).toEqual([
      [SAMPLE_MESSAGE_ID],
      [SAMPLE_MESSAGE_ID],
    ]);
  });

  it('skips recipients that the message has reached or may still reach', async () => {
    expect(await readReport(sampleReport('several-recipients'))).toMatchObject([
      { recipient: { final: 'erin@firm.example' }, cause: 'refused' },
      { recipient: BOTH, cause: 'no_such_address' },
    ]);
  });

  it('contains the envelope id of the sender', async () => {
    expect(await readReport(sampleReport('without-original'))).toMatchObject([
      { envelopeId: '0f8fad5b-d9cb-469f-a165-70867728950e' },
    ]);
  });

  it.each(COMPLAINTS)('%s is a complaint', async (name) => {
    expect(await readReport(sampleReport(name))).toEqual([
      {
        kind: 'complained',
        messageIds: [SAMPLE_MESSAGE_ID],
        envelopeId: null,
        recipient: { final: null, original: null },
        statusCode: null,
        cause: 'complaint',
      },
    ]);
  });

  it.each(NONE)('%s reports no returned message', async (name) => {
    expect(await readReport(sampleReport(name))).toEqual([]);
  });

  it('has a test for every sample', () => {
    const tested = [...BOUNCES.map(([name]) => name), ...SEVERAL, ...COMPLAINTS, ...NONE];
    expect(sampleNames()).toEqual(tested.toSorted());
  });

  it('is understood when cut after the machine-readable part and the headers', async () => {
    const whole = sampleReport('postfix-unknown-user');
    const end = whole.indexOf('List-Unsubscribe');
    expect(await readReport(whole.subarray(0, end))).toMatchObject([
      { messageIds: [SAMPLE_MESSAGE_ID], isHard: true },
    ]);
  });

  it('reports nothing when cut before that, or when it is no message at all', async () => {
    const whole = sampleReport('postfix-unknown-user');
    for (let length = 0; length < whole.indexOf('Action: failed'); length += 7) {
      expect(await readReport(whole.subarray(0, length))).toEqual([]);
    }
    expect(await readReport(Buffer.alloc(100_000, 0xff))).toEqual([]);
  });

  it.each([
    ['many groups of fields', 'message/delivery-status', 'Action: failed\r\n\r\n'.repeat(20_000)],
    ['one endless field', 'message/delivery-status', `Status: ${'5.1.1'.repeat(80_000)}`],
    ['an endless line of spaces', 'text/plain', `Hi. This is${' '.repeat(400_000)}x`],
    ['an endless line of dashes', 'text/plain', `${'-'.repeat(400_000)}x`],
    [
      'a qmail text with many paragraphs',
      'text/plain',
      `Hi. This is\n\n${'<a@b.example>:\n\n'.repeat(25_000)}\n--- Below`,
    ],
  ])('is bounded when it holds %s', async (_, type, body) => {
    const found = await readReport(
      Buffer.from(`From: mailer-daemon@x.example\r\nContent-Type: ${type}\r\n\r\n${body}`),
    );
    expect(found.length).toBeLessThanOrEqual(200);
  });

  it('is rejected when its parts are nested too deeply', async () => {
    const nested = Array.from(
      { length: 100 },
      (_, depth) => `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n`,
    );
    await expect(readReport(Buffer.from(nested.join('')))).rejects.toThrow(/nesting/i);
  });
});
