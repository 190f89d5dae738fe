import { describe, expect, it } from 'vitest';
import { judgeBounce } from '#src/email/bounces/judge-bounce.ts';

/** `Status`, diagnostic, resulting code, cause. */
const CASES: [string | null, string, string | null, string][] = [
  ['5.1.1', '550 5.1.1 User unknown', '5.1.1', 'no_such_address'],
  ['5.1.2', '550 Host unknown', '5.1.2', 'no_such_address'],
  ['5.1.3', '501 5.1.3 Bad recipient address syntax', '5.1.3', 'no_such_address'],
  ['5.1.6', '551 5.1.6 The mailbox has moved', '5.1.6', 'no_such_address'],
  ['5.1.10', '556 5.1.10 Recipient address has a null MX', '5.1.10', 'no_such_address'],
  ['5.2.1', '550 5.2.1 The account is inactive', '5.2.1', 'mailbox_disabled'],
  // The server's own code outranks the reporting server's.
  ['5.1.1', '550 5.7.1 Unsolicited', '5.7.1', 'refused'],
  ['5.0.0', '550 5.1.1 no', '5.1.1', 'no_such_address'],
  ['5.0.0', '550-5.1.1 no', '5.1.1', 'no_such_address'],
  ['5.5.0', '550 #5.1.0 Address rejected: user unknown', '5.1.0', 'no_such_address'],
  // Without a decisive code, the text decides.
  [null, '550 no such user here', null, 'no_such_address'],
  ['5.0.0', '550 Unknown local part bob in <bob@x.example>', '5.0.0', 'no_such_address'],
  ['5.0.0', '550 The mailbox bob@x.example does not exist', '5.0.0', 'no_such_address'],
  [
    '5.0.0',
    "554 delivery error: dd This user doesn't have a yahoo.com account",
    '5.0.0',
    'no_such_address',
  ],
  ['5.0.0', '550 Unrouteable address', '5.0.0', 'undelivered'],
  ['5.4.1', '550 5.4.1 Recipient address rejected: Access denied', '5.4.1', 'refused'],
  ['5.4.310', '550 5.4.310 DNS domain does not exist', '5.4.310', 'undelivered'],
  [null, '', null, 'undelivered'],
  // A refusal of the sender says nothing about the address.
  ['5.1.1', '550 5.1.1 Rejected: your host is on a blacklist', '5.1.1', 'refused'],
  ['5.1.1', '550 5.1.1 Blocked by our policy', '5.1.1', 'refused'],
  ['5.0.0', '550 relay access denied: no such user', '5.0.0', 'refused'],
  ['5.7.1', '550 5.7.1 user unknown', '5.7.1', 'refused'],
  ['5.1.8', '550 5.1.8 Bad sender', '5.1.8', 'undelivered'],
  ['5.1.7', '553 5.1.7 Bad sender syntax', '5.1.7', 'undelivered'],
  // Temporary failures stay temporary, however long they were retried.
  ['4.4.7', 'delivery time expired', '4.4.7', 'undelivered'],
  ['4.1.1', '450 4.1.1 user unknown', '4.1.1', 'undelivered'],
  [null, '450 user unknown', null, 'undelivered'],
  ['4.2.2', '452 4.2.2 over quota', '4.2.2', 'mailbox_full'],
  ['5.0.0', '552 mailbox is full', '5.0.0', 'mailbox_full'],
  ['5.2.3', '552 5.2.3 too large', '5.2.3', 'too_large'],
  // An IP address is not a code.
  ['5.0.0', '550 host 5.1.1.7 says no', '5.0.0', 'undelivered'],
  ['5.0.0', '550 5.1.1.7 is not welcome', '5.0.0', 'undelivered'],
  ['5.1.1 (bad destination mailbox address)', '', '5.1.1', 'no_such_address'],
  ['5.1.11', '', '5.1.11', 'undelivered'],
  ['nonsense', '', null, 'undelivered'],
];

describe('why a message came back', () => {
  it.each(CASES)('%s, "%s" counts as %s: %s', (status, diagnostic, statusCode, cause) => {
    const isHard = cause === 'no_such_address' || cause === 'mailbox_disabled';
    expect(judgeBounce({ status, diagnostic })).toEqual({ statusCode, cause, isHard });
  });
});
