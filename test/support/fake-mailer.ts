import type { LimitPeriod } from '#src/email/limit-period.ts';
import type { Mailer, OutgoingMessage, SmtpOutcome, SmtpSettings } from '#src/email/mailer.ts';

type Send = Mailer['send'];

/** A mailer that sends nothing and returns scripted outcomes. */
export interface FakeMailer extends Mailer {
  /** Messages handed over completely, in order. */
  readonly sent: { settings: SmtpSettings; message: OutgoingMessage }[];
  /** Number of attempts to send, whatever the outcome. */
  attempts: number;
  /** Outcomes of the next attempts, one each; later attempts succeed. */
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

/** A server that accepts the message. */
export const takeIt: Send = async (_settings, _message, { beforeData }) => {
  await beforeData();
  return { kind: 'sent' };
};

/** A server that refuses before it receives the content. */
export function refuseIt(
  errorClass: (SmtpOutcome & { kind: 'failed' })['errorClass'] = 'recipient_rejected',
  limit: LimitPeriod | null = null,
): Send {
  const isTemporary = errorClass === 'greylisted' || errorClass === 'server_busy';
  return () =>
    Promise.resolve({
      kind: 'failed',
      errorClass,
      isTemporary,
      limit,
      message: `The server says ${errorClass}.`,
    });
}

/** A server whose connection is lost while it receives the content. */
export const loseIt: Send = async (_settings, _message, { beforeData }) => {
  await beforeData();
  return { kind: 'unknown', message: 'The connection was lost.' };
};
