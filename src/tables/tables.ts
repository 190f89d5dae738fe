import type { AccountsTables } from './accounts.ts';
import type { BillingTables } from './billing.ts';
import type { ChatTables } from './chat.ts';
import type { ConnectorsTables } from './connectors.ts';
import type { DocumentsTables } from './documents.ts';
import type { EmailTables } from './email.ts';
import type { EncryptionTables } from './encryption.ts';
import type { FilesTables } from './files.ts';
import type { LeadsTables } from './leads.ts';
import type { OperationsTables } from './operations.ts';
import type { OutreachTables } from './outreach.ts';
import type { PointsTables } from './points.ts';
import type { WebhooksTables } from './webhooks.ts';

/** Every table of the database. A table is owned and written only by the feature whose name its file has. */
export interface Tables
  extends
    AccountsTables,
    BillingTables,
    ChatTables,
    ConnectorsTables,
    DocumentsTables,
    EmailTables,
    EncryptionTables,
    FilesTables,
    LeadsTables,
    OperationsTables,
    OutreachTables,
    PointsTables,
    WebhooksTables {}
