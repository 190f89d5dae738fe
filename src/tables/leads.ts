import type { Generated } from 'kysely';
import type { DocumentId, LeadId, LeadScrapeId, UserId, WorkspaceId } from '#src/ids.ts';
import type { Json, JsonWithDefault, Timestamp } from './column-types.ts';

export const SCRAPE_MODES = ['keyword_search', 'scrape_url'] as const;
export type ScrapeMode = (typeof SCRAPE_MODES)[number];

export const ENRICHMENTS = ['email', 'phone', 'socials', 'company_info', 'other_socials'] as const;
export type Enrichment = (typeof ENRICHMENTS)[number];
/** The default: older clients rely on these answers. */
export const DEFAULT_ENRICHMENTS: readonly Enrichment[] = [
  'email',
  'phone',
  'socials',
  'company_info',
];

/** `partial`: something was read, but pages that the site names could not be. */
export const SITE_STATUSES = ['pending', 'done', 'partial', 'failed'] as const;
export type SiteStatus = (typeof SITE_STATUSES)[number];

/** A page that could not be read, and why, in a sentence that names the host. */
export interface PageProblem {
  url: string;
  reason: string;
}

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
  /** Null once the user is deleted. */
  user_id: UserId | null;
  mode: ScrapeMode;
  query: string;
  /** The addresses, when a request names several; `query` then only describes them. */
  urls: Generated<string[] | null>;
  max_results: number;
  enrichment: Enrichment[];
  /** Equal requests have equal keys. */
  share_key: string;
  status: Generated<LeadScrapeStatus>;
  /** Which provider found the sites: `index`, `searxng`, `brave`, or null for `scrape_url`. */
  provider: string | null;
  /** Whether its sites are known: the rows of `lead_scrape_site`. */
  searched: Generated<boolean>;
  /** Sites found but omitted, because they are not about the query. */
  far_sites: Generated<number>;
  pages_done: Generated<number>;
  leads_found: Generated<number>;
  error: string | null;
  /** Consecutive losses of its worker without a finished site in between. */
  outages: Generated<number>;
  /** The worker's claim: token, and when another worker may take over. */
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
  /** Position in the search results, from 0. */
  ordinal: number;
  workspace_id: WorkspaceId;
  url: string;
  /** The registrable domain, or the host if there is none. */
  domain: string;
  /** Further start pages of the visit. */
  further_urls: Generated<string[]>;
  /** Indexed documents whose text replaces pages of the site. */
  document_ids: Generated<DocumentId[]>;
  status: Generated<SiteStatus>;
  /** How often a worker has started on it. */
  starts: Generated<number>;
  pages: Generated<number>;
  error: string | null;
  problems: JsonWithDefault<PageProblem[]>;
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
  /** `mx` | `no_mx` | `unknown`; null when no look-up was requested. */
  email_status: string | null;
  /** All its addresses in lower case, including the examples of an address form; used by erasure. */
  emails: Generated<string[]>;
  /** The registrable domains of its addresses and its website. */
  domains: Generated<string[]>;
  details: Json<unknown>;
  /** Position in the result, from 0. */
  rank: number;
  created_at: Timestamp;
}

interface SitePaceTable {
  domain: string;
  next_request_at: Date;
}

/** Scrapes and the leads they found. */
export interface LeadsTables {
  lead_scrape: LeadScrapeTable;
  lead_scrape_site: LeadScrapeSiteTable;
  lead: LeadTable;
  site_pace: SitePaceTable;
}
