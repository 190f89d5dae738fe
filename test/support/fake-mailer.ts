import type { Mailer, OutgoingMessage, SmtpOutcome, SmtpSettings } from '#src/email/mailer.ts';

type Send = Mailer['send'];

/** A mailer that sends nothing and answers as it is told. */
export interface FakeMailer extends Mailer {
  /** What was handed over whole, in order. */
  readonly sent: { settings: SmtpSettings; message: OutgoingMessage }[];
  /** Attempts to send, whatever came of them. */
  attempts: number;
  /** What the next attempts do, one each; those after them send. */
  readonly next: Send[];
}

export function createFakeMailer(): FakeMailer {
  const mailer: FakeMailer = {
    sent: [],
    attempts: 0,
    next: [],
    async send(settings, message, options) {
      mailer.attempts += 1;
      const scripted = mailer.next.shift();
      const outcome = await (scripted ?? takeIt)(settings, message, options);
      if (outcome.kind === 'sent') mailer.sent.push({ settings, message });
      return outcome;
    },
  };
  return mailer;
}

/** A server that takes the message. */
export const takeIt: Send = async (_settings, _message, { beforeData }) => {
  await beforeData();
  return { kind: 'sent' };
};

/** A server that refuses before it is given the content. */
export function refuseIt(
  errorClass: (SmtpOutcome & { kind: 'failed' })['errorClass'] = 'recipient_rejected',
): Send {
  const isTemporary = errorClass === 'greylisted' || errorClass === 'server_busy';
  return () =>
    Promise.resolve({
      kind: 'failed',
      errorClass,
      isTemporary,
      message: `The server says ${errorClass}.`,
    });
}

/** A server that is lost while it has the content. */
export const loseIt: Send = async (_settings, _message, { beforeData }) => {
  await beforeData();
  return { kind: 'unknown', message: 'The connection was lost.' };
};
