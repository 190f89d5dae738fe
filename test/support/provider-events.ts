/** The recipient that the events are about. */
export const BOB = 'bob@firm.example';

/** Provider, its event for a message id, the resulting status, and whether the recipient is listed. */
export const PROVIDER_EVENTS: [string, (id: string) => unknown, string, boolean][] = [
  [
    'our own format',
    (id) => ({
      reports: [
        {
          kind: 'bounced',
          message_id: `<${id}@acme.example>`,
          recipient: BOB,
          status_code: '5.1.1',
        },
      ],
    }),
    'bounced',
    true,
  ],
  [
    'SendGrid',
    (id) => [
      { event: 'delivered', email: BOB, 'smtp-id': `<${id}@acme.example>` },
      {
        event: 'bounce',
        email: BOB,
        'smtp-id': `<${id}@acme.example>`,
        status: '5.1.1',
        type: 'bounce',
        reason: '550 5.1.1 unknown user',
        timestamp: 1,
      },
    ],
    'bounced',
    true,
  ],
  [
    'SendGrid of a block',
    (id) => [
      {
        event: 'bounce',
        email: BOB,
        'smtp-id': `<${id}@acme.example>`,
        status: '5.7.1',
        type: 'blocked',
        reason: '550 5.7.1 spam',
      },
    ],
    'bounced',
    false,
  ],
  [
    'SendGrid of a complaint',
    (id) => [{ event: 'spamreport', email: BOB, 'smtp-id': `<${id}@acme.example>` }],
    'complained',
    true,
  ],
  [
    'Mailgun',
    (id) => ({
      signature: { token: 't' },
      'event-data': {
        event: 'failed',
        severity: 'permanent',
        recipient: BOB,
        message: { headers: { 'message-id': `${id}@acme.example` } },
        'delivery-status': {
          code: 550,
          message: '5.1.1 The email account that you tried to reach does not exist.',
        },
      },
    }),
    'bounced',
    true,
  ],
  [
    'Mailgun of a complaint',
    (id) => ({
      'event-data': {
        event: 'complained',
        recipient: BOB,
        message: { headers: { 'message-id': `${id}@acme.example` } },
      },
    }),
    'complained',
    true,
  ],
  [
    'Postmark, which gives ids of its own',
    () => ({
      RecordType: 'Bounce',
      Type: 'HardBounce',
      MessageID: 'f00',
      Email: BOB,
      Details: 'smtp;550 no',
    }),
    'bounced',
    true,
  ],
  [
    'Postmark of a complaint',
    () => ({ RecordType: 'SpamComplaint', Type: 'SpamComplaint', MessageID: 'f00', Email: BOB }),
    'complained',
    true,
  ],
  [
    'Amazon SES through SNS',
    (id) => ({
      Type: 'Notification',
      TopicArn: 'arn',
      Message: JSON.stringify({
        notificationType: 'Bounce',
        bounce: {
          bounceType: 'Permanent',
          bounceSubType: 'General',
          bouncedRecipients: [
            { emailAddress: BOB, status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 unknown' },
          ],
        },
        mail: {
          messageId: '0102',
          headers: [{ name: 'Message-ID', value: `<${id}@acme.example>` }],
        },
      }),
    }),
    'bounced',
    true,
  ],
  [
    'Amazon SES of a complaint without headers',
    () => ({
      notificationType: 'Complaint',
      complaint: {
        complainedRecipients: [{ emailAddress: BOB }],
        complaintFeedbackType: 'abuse',
      },
      mail: { messageId: '0102' },
    }),
    'complained',
    true,
  ],
];

/** Events that report no returned message. */
export const OTHER_EVENTS: [string, (id: string) => unknown][] = [
  [
    'a temporary failure of Mailgun',
    (id) => ({
      'event-data': {
        event: 'failed',
        severity: 'temporary',
        recipient: BOB,
        message: { headers: { 'message-id': `${id}@acme.example` } },
      },
    }),
  ],
  [
    'a transient bounce of Postmark',
    () => ({ RecordType: 'Bounce', Type: 'Transient', Email: BOB }),
  ],
  [
    'an automatic reply that Postmark tells of',
    () => ({ RecordType: 'Bounce', Type: 'AutoResponder', Email: BOB }),
  ],
  ['a delivery of SendGrid', (id) => [{ event: 'delivered', 'smtp-id': `<${id}@acme.example>` }]],
  [
    'feedback of SES that it is no spam',
    () => ({
      complaint: {
        complainedRecipients: [{ emailAddress: BOB }],
        complaintFeedbackType: 'not-spam',
      },
      mail: {},
    }),
  ],
  [
    'the end of a subscription',
    () => ({ Type: 'UnsubscribeConfirmation', Message: 'You have chosen' }),
  ],
];
