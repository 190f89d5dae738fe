import type { EmailServices } from '#src/email/email-services.ts';
import type { Inboxes } from './inbox.ts';
import type { ReportReader } from './report-reader.ts';

/** The services for returned mail. */
export interface BounceServices extends EmailServices {
  /** Opens the mailboxes in which returned mail arrives. */
  readonly inboxes: Inboxes;
  readonly reportReader: ReportReader;
}
