import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type {
  DocumentId,
  DoNotContactId,
  EmailAccountId,
  EmailMessageId,
  LeadId,
  LeadScrapeId,
  UserId,
  WorkspaceId,
} from './ids.ts';

/** A column that the database fills and that may be written later. */
type Timestamp = ColumnType<Date, Date | undefined, Date>;
/** A `json` column: an object when read, JSON text when written. */
type Json<T> = ColumnType<T, string, string>;

export const DO_NOT_CONTACT_REASONS = ['manual', 'erased', 'unsubscribed'] as const;
export type DoNotContactReason = (typeof DO_NOT_CONTACT_REASONS)[number];

interface DoNotContactTable {
  id: GeneratedAlways<DoNotContactId>;
  workspace_id: WorkspaceId;
  kind: 'email' | 'domain';
  /** In lower case; a domain stands for its subdomains, too. */
  value: string;
  reason: DoNotContactReason;
  note: Generated<string>;
  created_at: Timestamp;
}

export const SCRAPE_MODES = ['keyword_search', 'scrape_url'] as const;
export type ScrapeMode = (typeof SCRAPE_MODES)[number];

export const ENRICHMENTS = ['email', 'phone', 'socials', 'company_info'] as const;
export type Enrichment = (typeof ENRICHMENTS)[number];

export const LEAD_SCRAPE_STATUSES = [
  'queued',
  'running',
  'completed',
  'failed',
  'canceled',
] as const;
/** `queued → running → completed | failed`; `canceled` by its owner before either. */
export type LeadScrapeStatus = (typeof LEAD_SCRAPE_STATUSES)[number];

interface LeadScrapeTable {
  id: LeadScrapeId;
  workspace_id: WorkspaceId;
  /** Null once the user is gone. */
  user_id: UserId | null;
  mode: ScrapeMode;
  query: string;
  max_results: number;
  enrichment: Enrichment[];
  /** Equal requests have equal keys. */
  share_key: string;
  status: Generated<LeadScrapeStatus>;
  /** Who found the sites: `index`, `searxng`, `brave`, or null for `scrape_url`. */
  provider: string | null;
  /** Its sites are known: the rows of `lead_scrape_site`. */
  searched: Generated<boolean>;
  pages_done: Generated<number>;
  leads_found: Generated<number>;
  error: string | null;
  /** Times in a row, without a site in between, that its worker was lost. */
  outages: Generated<number>;
  /** The worker's claim: token and the time at which another worker may take over. */
  claim_token: string | null;
  claimed_until: Date | null;
  next_attempt_at: Date | null;
  queued_at: Timestamp;
  request_id: string | null;
  created_at: Timestamp;
  started_at: Date | null;
  finished_at: Date | null;
  processing_time_ms: number | null;
}

interface LeadScrapeSiteTable {
  lead_scrape_id: LeadScrapeId;
  /** 0 for the first that the search named. */
  ordinal: number;
  workspace_id: WorkspaceId;
  url: string;
  /** The registrable domain, or the host where there is none. */
  domain: string;
  /** Indexed documents whose text stands for pages of the site. */
  document_ids: Generated<DocumentId[]>;
  status: Generated<'pending' | 'done' | 'failed'>;
  /** How often a worker has begun with it. */
  starts: Generated<number>;
  pages: Generated<number>;
  error: string | null;
}

interface LeadTable {
  id: LeadId;
  workspace_id: WorkspaceId;
  lead_scrape_id: LeadScrapeId;
  site_ordinal: number;
  kind: 'person' | 'organization';
  name: Generated<string>;
  title: Generated<string>;
  company: Generated<string>;
  email: Generated<string>;
  phone: Generated<string>;
  website: Generated<string>;
  linkedin: Generated<string>;
  twitter: Generated<string>;
  confidence_score: number;
  /** `mx` | `no_mx` | `unknown`; null when no look-up was asked for. */
  email_status: string | null;
  /** All of its addresses, in lower case: what erasure looks for. */
  emails: string[];
  /** The registrable domains of its addresses and its website. */
  domains: string[];
  details: Json<unknown>;
  /** Place in the result, from 0. */
  rank: number;
  created_at: Timestamp;
}

interface SitePaceTable {
  domain: string;
  next_request_at: Date;
}

interface EmailAccountTable {
  id: EmailAccountId;
  workspace_id: WorkspaceId;
  email: string;
  from_name: Generated<string>;
  smtp_host: string;
  smtp_port: number;
  smtp_user: string;
  /** Sealed for `email_account:<id>`. */
  smtp_password: string;
  /** Grows with every change of what a verification proves. */
  settings_revision: Generated<number>;
  verified: Generated<boolean>;
  verified_at: Date | null;
  verification_token: string;
  is_default: Generated<boolean>;
  /** Messages a day; null for as many as the plan allows. */
  daily_limit: number | null;
  /** Of the day `sent_on`; 0 when that is not today. */
  daily_sent: Generated<number>;
  /** A day of `time_zone`. */
  sent_on: ColumnType<string | null, string | null | undefined, string | null>;
  time_zone: Generated<string>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export const EMAIL_MESSAGE_STATUSES = ['queued', 'sending', 'sent', 'failed', 'unknown'] as const;
/** `queued → sending → sent | failed | unknown`; back to `queued` for a temporary failure. */
export type EmailMessageStatus = (typeof EMAIL_MESSAGE_STATUSES)[number];

interface EmailMessageTable {
  id: EmailMessageId;
  workspace_id: WorkspaceId;
  email_account_id: EmailAccountId;
  user_id: UserId | null;
  kind: 'verification' | 'message';
  status: Generated<EmailMessageStatus>;
  recipient: string;
  /** What it says; null in verifications, and once it is finished. */
  subject: string | null;
  text_body: string | null;
  html_body: string | null;
  reply_to: string | null;
  idempotency_key: string | null;
  request_hash: string | null;
  /** Of the account when it was asked for. */
  settings_revision: number;
  /** The day of the account on whose `daily_sent` it counts; null once it was given back. */
  counted_on: ColumnType<string | null, string | null | undefined, string | null>;
  attempts: Generated<number>;
  claim_token: string | null;
  claimed_until: Date | null;
  /** The server has begun to take the content: from here on it may have been sent. */
  data_started_at: Date | null;
  next_attempt_at: Date | null;
  queued_at: Timestamp;
  error_class: string | null;
  error: string | null;
  advice: ColumnType<string[], string | undefined, string>;
  request_id: string | null;
  created_at: Timestamp;
  finished_at: Date | null;
}

/** The tables of migrations 0006 to 0008. */
export interface OutreachTables {
  do_not_contact: DoNotContactTable;
  lead_scrape: LeadScrapeTable;
  lead_scrape_site: LeadScrapeSiteTable;
  lead: LeadTable;
  site_pace: SitePaceTable;
  email_account: EmailAccountTable;
  email_message: EmailMessageTable;
}
