import type { RETURN_CAUSES } from '#src/tables/email.ts';

export type ReturnCause = (typeof RETURN_CAUSES)[number];

/** Why a server did not deliver a message. */
export interface BounceVerdict {
  /** A code of RFC 3463, such as `5.1.1`; null when the report gives none. */
  statusCode: string | null;
  cause: ReturnCause;
  /** The address is permanently invalid. */
  isHard: boolean;
}

/** Identifies the reported message. Reports are untrusted: each value is a claim until checked. */
export interface ReportedMessage {
  /** `Message-ID`s without angle brackets. */
  messageIds: string[];
  /** The sender's ENVID (RFC 3461 section 4.4); null if absent. */
  envelopeId: string | null;
}

/** A message that came back, or that its recipient complained about. */
export type ReportedReturn = ReportedMessage & { recipient: ReportedRecipient } & (
    | ({ kind: 'bounced' } & BounceVerdict)
    | { kind: 'complained'; statusCode: null; cause: 'complaint' }
  );

/** Bare addresses; null if the report omits them. */
export interface ReportedRecipient {
  /** The address that failed; after forwarding, not the one that we wrote to. */
  final: string | null;
  /** The address that the sender used. */
  original: string | null;
}
