import { z } from 'zod';
import { withoutLastSlashes } from '#src/platform/base-url.ts';
import { siteUrl, type AtlassianCredential } from '#src/connectors/source/atlassian.ts';

const text = z
  .string()
  .trim()
  .nullish()
  .transform((value) => value || null);

export interface ConfluenceSettings {
  /** Ends with `/wiki` on Cloud and with the context path on Data Center, never with a slash. Links begin with it. */
  root: string;
  isCloud: boolean;
  space: string | null;
  pageId: string | null;
  indexRecursively: boolean;
  cql: string | null;
  labelsToSkip: readonly string[];
  timezoneOffsetHours: number | null;
  scopedToken: boolean;
  includeAttachments: boolean;
}

export const CONFLUENCE_SETTINGS: z.ZodType<ConfluenceSettings> = z
  .strictObject({
    wiki_base: z
      .string()
      .trim()
      .min(1)
      .describe('Address of the wiki, such as https://example.atlassian.net/wiki.')
      .meta({ title: 'Address' }),
    is_cloud: z
      .boolean()
      .describe('Whether it is Confluence Cloud and not a Data Center.')
      .meta({ title: 'Confluence Cloud' }),
    space: text.describe('Key of the one space to index. Empty: all spaces.'),
    page_id: text.describe('Id of the one page to index. Overrides space.'),
    index_recursively: z.boolean().default(false).describe('Index the pages below page_id, too.'),
    cql_query: text
      .describe(
        'CQL that says which pages to index. Overrides space and page_id; an ORDER BY in it is ignored.',
      )
      .meta({ title: 'CQL' }),
    labels_to_skip: z
      .array(z.string().trim().min(1))
      .nullish()
      .transform((list) => list ?? [])
      .describe('Pages and attachments with one of these labels are left out.'),
    timezone_offset: z
      .number()
      .min(-12)
      .max(14)
      .nullish()
      .transform((hours) => hours ?? null)
      .describe(
        'Hours between UTC and the time zone of the account. Without it each run looks back a day more, which is never wrong.',
      ),
    scoped_token: z
      .boolean()
      .default(false)
      .describe('The API token has scopes; it is then used through api.atlassian.com.'),
    include_attachments: z
      .boolean()
      .default(true)
      .describe('Index attached files that hold text, each as a document.'),
  })
  .transform((sent, issues) => {
    const isCloud = sent.is_cloud || isCloudHost(sent.wiki_base);
    const root = wikiRoot(sent.wiki_base, isCloud);
    if (root === null) {
      const message = 'is not a web address; write it as https://example.atlassian.net/wiki';
      issues.addIssue({ code: 'custom', path: ['wiki_base'], message });
    }
    if (sent.page_id !== null && !/^\d+$/.test(sent.page_id)) {
      const message = 'must be the number in the address of the page';
      issues.addIssue({ code: 'custom', path: ['page_id'], message });
    }
    return {
      root: root ?? '',
      isCloud,
      space: sent.space,
      pageId: sent.page_id,
      indexRecursively: sent.index_recursively,
      cql: sent.cql_query,
      labelsToSkip: sent.labels_to_skip,
      timezoneOffsetHours: sent.timezone_offset,
      scopedToken: sent.scoped_token,
      includeAttachments: sent.include_attachments,
    };
  });

/** Where Confluence's own paths begin; anything before them is the context path of a Data Center. */
const OWN_PAGES =
  /\/(?:spaces|space|display|pages|rest|plugins|dashboard\.action|index\.action|x)(?:\/|$)/;

/** Data Center is never hosted under an Atlassian domain. */
function isCloudHost(address: string): boolean {
  return siteUrl(address)?.hostname.endsWith('.atlassian.net') ?? false;
}

function wikiRoot(address: string, isCloud: boolean): string | null {
  const url = siteUrl(address);
  if (!url) return null;
  if (isCloud) return `${url.origin}/wiki`;
  const own = OWN_PAGES.exec(url.pathname);
  const context = url.pathname.slice(0, own?.index ?? url.pathname.length);
  return url.origin + withoutLastSlashes(context);
}

export const CONFLUENCE_CREDENTIAL: z.ZodType<AtlassianCredential> = z
  .strictObject({
    confluence_username: text
      .describe(
        'E-mail address of the account. Leave it out for personal access tokens of Data Center.',
      )
      .meta({ title: 'E-mail address' }),
    confluence_access_token: z
      .string()
      .trim()
      .min(1)
      .describe('API token (Cloud) or personal access token (Data Center).')
      .meta({ title: 'Token', writeOnly: true }),
  })
  .transform(({ confluence_username, confluence_access_token }) => ({
    user: confluence_username,
    token: confluence_access_token,
  }));
