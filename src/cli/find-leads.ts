import { z } from 'zod';
import type { ApiClient } from './api-client.ts';
import type { CommandContext } from './command-context.ts';
import { CommandFailure } from './exit.ts';
import { chooseForm, printScrape, type ScrapeDetails, scrapeDetailsSchema } from './lead-report.ts';
import { formatCount, plainLine } from './terminal.ts';

export interface FindOptions {
  max?: number;
  enrichment?: string[];
  fresh?: true;
  csv?: true;
}

export const SCRAPES = '/tools/lead-scraper';
/** Half the rate that the smallest plan allows per minute. */
const POLL_MS = 2_000;
/** Long, because others of the workspace may go first. */
const MAX_WAIT_MS = 60 * 60_000;
const PATIENCE = { unreachableMs: 120_000, busyMs: 120_000 };
const CLEAR_LINE = '\r\u001b[K';

/** Must be a path of the same service: a URL elsewhere would receive the key. */
const begunScrape = z.object({ scrape_id: z.string(), status_url: z.string().startsWith('/') });
type Begun = z.output<typeof begunScrape>;

/**
 * Starts a scrape of words or addresses, follows it to its end and prints its leads.
 * @throws CommandFailure when it failed or was canceled
 */
export async function findLeads(
  what: readonly string[],
  options: FindOptions,
  context: CommandContext,
): Promise<void> {
  const form = chooseForm(options.csv === true, context);
  const client = context.connect();
  const begun = await startScrape(client, what, options);
  const scrape = await followScrape(client, begun, context).catch((error: unknown) => {
    if (client.signal.aborted) {
      context.terminal.stderr.write(`The scrape continues. ${howToSee(begun)}\n`);
    }
    throw error;
  });
  if (scrape.status !== 'failed' || form === 'json') printScrape(scrape, form, context);
  if (scrape.status === 'failed') {
    throw new CommandFailure(plainLine(scrape.error ?? 'The scrape failed.'));
  }
  if (scrape.status === 'canceled') throw new CommandFailure('The scrape was canceled.');
}

function startScrape(
  client: ApiClient,
  what: readonly string[],
  { max, enrichment, fresh }: FindOptions,
): Promise<Begun> {
  return client.json('POST', SCRAPES, begunScrape, {
    headers: { prefer: 'respond-async', ...(fresh ? { 'cache-control': 'no-cache' } : {}) },
    body: {
      ...soughtOf(what),
      ...(max === undefined ? {} : { max_results: max }),
      ...(enrichment === undefined ? {} : { enrichment }),
    },
    // Identical requests share one scrape, unless a new one is requested.
    repeatable: fresh !== true,
  });
}

/** Several words that are all addresses form a list; other words are one search. */
function soughtOf(what: readonly string[]): object {
  const words = what.map((word) => word.trim()).filter((word) => word !== '');
  if (words.length > 1 && words.every(looksLikeAddress)) return { mode: 'scrape_url', urls: words };
  const query = words.join(' ');
  return { mode: looksLikeAddress(query) ? 'scrape_url' : 'keyword_search', query };
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\/\S+$/i;
const HOST =
  /^(?:(?:[\p{L}\p{M}\p{N}-]+\.)+\p{L}[\p{L}\p{M}\p{N}-]+|\d{1,3}(?:\.\d{1,3}){3})\.?(?::\d+)?(?:[/?#]\S*)?$/u;

/** `example.com/team` is an address; `bicycle repairs`, `jane@example.com` and `3.5` are words. */
export function looksLikeAddress(text: string): boolean {
  return SCHEME.test(text) || HOST.test(text);
}

async function followScrape(
  client: ApiClient,
  begun: Begun,
  { terminal }: CommandContext,
): Promise<ScrapeDetails> {
  const { stdout, stderr } = terminal;
  const isShown = stdout.isTTY === true && stderr.isTTY === true;
  try {
    for (let waitedMs = 0; waitedMs <= MAX_WAIT_MS; waitedMs += POLL_MS) {
      const scrape = await client.json('GET', begun.status_url, scrapeDetailsSchema, {
        patience: PATIENCE,
      });
      if (scrape.status !== 'queued' && scrape.status !== 'running') return scrape;
      if (isShown) stderr.write(`${CLEAR_LINE}${progressOf(scrape)}`);
      await client.wait(POLL_MS);
    }
  } finally {
    if (isShown) stderr.write(CLEAR_LINE);
  }
  throw new CommandFailure(`The scrape did not end within an hour. ${howToSee(begun)}`);
}

function progressOf({ status, pages_done, total_results }: ScrapeDetails): string {
  return `${plainLine(status)}, pages: ${formatCount(pages_done)}, leads so far: ${formatCount(total_results)}`;
}

function howToSee({ scrape_id: id }: Begun): string {
  return plainLine(
    `See it with "millrace leads show ${id}", stop it with "millrace leads cancel ${id}".`,
  );
}
