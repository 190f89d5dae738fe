import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newBounceMailboxSchema } from '#src/email/administration/bounce-mailbox-request.ts';
import { readPosted } from '#src/email/bounces/provider-events.ts';
import { z } from 'zod';
import {
  accountChangeSchema,
  emailAddress,
  newAccountSchema,
} from '#src/email/administration/account-request.ts';
import { maxAttempts, retryDelayMs } from '#src/email/message-retry.ts';
import { sendingPaceSchema } from '#src/email/administration/sending-pace.ts';
import { listProviderLimits } from '#src/email/provider-limits.ts';
import { newMessageSchema } from '#src/email/administration/send-request.ts';
import { SMTP_ERROR_CLASSES } from '#src/email/smtp-error-classes.ts';
import { TECHNIQUES } from '#src/leads/extract/contact-card.ts';
import { scrapeRequestSchema } from '#src/leads/scrapes/scrape-request.ts';
import { trustOf } from '#src/leads/merge/trust.ts';
import { VISIT_LIMITS } from '#src/leads/visit/visit-budget.ts';
import { erasureSchema, newEntriesSchema } from '#src/outreach/privacy-request.ts';
import { parseConfig } from '#src/platform/config.ts';
import { EMAIL_MESSAGE_STATUSES } from '#src/tables/email.ts';
import { ENRICHMENTS, LEAD_SCRAPE_STATUSES } from '#src/tables/leads.ts';
import { DO_NOT_CONTACT_REASONS } from '#src/tables/outreach.ts';

const DOCS = resolve(import.meta.dirname, '../../../docs');
const leads = read('leads.md');
const senderAccounts = read('sender-accounts.md');
const doNotContact = read('do-not-contact.md');

describe('the page of sender accounts', () => {
  test('lists every class of SMTP failure in the order of the code, each with a remedy', () => {
    const rows = tableWith(senderAccounts, 'Class');
    expect(rows.map(([name]) => plain(name))).toEqual([...SMTP_ERROR_CLASSES]);
    expect(rows.filter((cells) => cells.some((cell) => cell === ''))).toEqual([]);
  });

  test('lists every status of a message', () => {
    const rows = tableWith(senderAccounts, '`status`');
    expect(rows.map(([name]) => plain(name))).toEqual([...EMAIL_MESSAGE_STATUSES]);
  });

  test('lists every field of an account and of a message', () => {
    const [account = [], message = []] = tablesWith(senderAccounts, 'Field');
    const accountFields = [...Object.keys(newAccountSchema.shape), 'time_zone'];
    expect(account.map(([name]) => plain(name)).toSorted()).toEqual(accountFields.toSorted());
    expect(message.map(([name]) => plain(name))).toEqual(Object.keys(newMessageSchema.shape));
  });
});

test('the page on sender accounts lists the limits of every provider, with their source', () => {
  const rows = tableWith(senderAccounts, 'Provider').map(([name, ...cells]) => {
    const [perMinute, perHour, perDay] = cells
      .slice(0, 3)
      .map((cell) => (cell === '' ? null : Number(cell.replaceAll(',', ''))));
    return { provider: name, perMinute, perHour, perDay, source: cells[3]?.slice(1, -1) };
  });
  const known = new Map(listProviderLimits().map((limit) => [limit.provider, limit]));
  expect(rows).toEqual([...known.values()]);
});

test('the page on sender accounts describes every field of the pace', () => {
  const fields = tableWith(senderAccounts, 'In `sending_pace`').flatMap(([names = '']) =>
    names.split(', ').map(plain),
  );
  expect(fields).toEqual(Object.keys(sendingPaceSchema.shape));
});

describe('the page of leads', () => {
  test('lists every technique with its score', () => {
    const rows = tableWith(leads, 'Technique');
    const scores = rows.map(([name, , score]) => [plain(name), score] as const);
    expect(scores).toHaveLength(TECHNIQUES.length);
    expect(Object.fromEntries(scores)).toEqual(
      Object.fromEntries(TECHNIQUES.map((name) => [name, trustOf(name).toFixed(2)])),
    );
  });

  test('lists exactly the providers that the setting accepts', () => {
    const providers = tableWith(leads, 'Provider').map(([name]) => plain(name));
    const settings = { SEARXNG_URL: 'http://searx.example', BRAVE_API_KEY: 'key' };
    const isTaken = (provider: string): boolean =>
      parseConfig({ ...settings, LEAD_SEARCH_PROVIDER: provider }).LEAD_SEARCH_PROVIDER ===
      provider;
    expect(providers.filter(isTaken)).toEqual(providers);
    const refusal = refusalOf(() => parseConfig({ LEAD_SEARCH_PROVIDER: 'none of them' }));
    const known = [...refusal.matchAll(/"(\w+)"/g)].map(([, name]) => name);
    expect(known).toEqual(providers);
  });

  test('lists every kind of enrichment and every status', () => {
    const parts = tableWith(leads, 'In `enrichment`').map(([name]) => plain(name));
    const statuses = tableWith(leads, '`status`').map(([name]) => plain(name));
    expect({ parts, statuses }).toEqual({
      parts: [...ENRICHMENTS],
      statuses: [...LEAD_SCRAPE_STATUSES],
    });
  });

  test('states the budget of a visit', () => {
    const budget = new Map(tableRows(leads).map(([name = '', value = '']) => [name, value]));
    const numberOf = (name: string): number => Number.parseInt(budget.get(name) ?? '', 10);
    expect(numberOf('Pages')).toBe(VISIT_LIMITS.pages);
    expect(numberOf('Requests, with redirects, frames and sitemaps')).toBe(VISIT_LIMITS.requests);
    expect(numberOf('Time of a page') * 1_000).toBe(VISIT_LIMITS.pageTimeoutMs);
    expect(numberOf('Time of all requests') * 1_000).toBe(VISIT_LIMITS.fetchMs);
    expect(numberOf('Time with all pauses') * 1_000).toBe(VISIT_LIMITS.visitMs);
  });
});

test('the page of the do-not-contact list lists every reason', () => {
  const reasons = tableWith(doNotContact, '`reason`').map(([name]) => plain(name));
  expect(reasons.toSorted()).toEqual([...DO_NOT_CONTACT_REASONS].toSorted());
});

test('the page on sending messages states the number of attempts in the code', () => {
  const page = read('email-design.md');
  const rows = tableWith(page, 'Kind').map(([kind, attempts]) => [kind, Number(attempts)]);
  const kinds = ['verification', 'message'] as const;
  expect(rows).toEqual(kinds.map((kind) => [kind, attemptsOf(kind)]));
  expect(kinds.map(maxAttempts)).toEqual([8, 11]);
  expect(page).toContain('After eleven attempts, eight for a verification,');
});

const EXAMPLES: readonly [page: string, schema: z.ZodType][] = [
  ['leads.md', scrapeRequestSchema],
  [
    'sender-accounts.md',
    z.union([
      newAccountSchema.extend({ time_zone: z.string().optional() }),
      accountChangeSchema,
      z.strictObject({ test_recipient: emailAddress }),
      newMessageSchema,
      newBounceMailboxSchema,
      z.custom((body) => 'returns' in readPosted(Buffer.from(JSON.stringify(body)))),
    ]),
  ],
  ['do-not-contact.md', z.union([newEntriesSchema, erasureSchema])],
];

test.each(EXAMPLES)('the requests in %s are accepted', (name, schema) => {
  const bodies = [...read(name).matchAll(/ -d '(\{[^']*\})'/g)].map(([, text = '']) => text);
  expect(bodies.length).toBeGreaterThan(0);
  const refused = bodies.filter((text) => !schema.safeParse(JSON.parse(text)).success);
  expect(refused).toEqual([]);
});

test.each([
  'leads.md',
  'leads-design.md',
  'sender-accounts.md',
  'do-not-contact.md',
  'email-design.md',
])('the links in %s point to existing files and headings', (name) => {
  const links = [...read(name).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
  const broken = links.filter(([, file = '', heading]) => {
    const target = file === '' ? name : file;
    if (!existsSync(resolve(DOCS, target))) return true;
    return heading !== undefined && !headingsOf(read(target)).includes(heading);
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

function read(name: string): string {
  return readFileSync(resolve(DOCS, name), 'utf8');
}

/** Heading anchors, as links spell them. */
function headingsOf(page: string): string[] {
  return [...page.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function cellsOf(row: string): string[] {
  return row
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}

function tableRows(page: string): string[][] {
  return [...page.matchAll(/^\|.*\|$/gm)].map(([row]) => cellsOf(row));
}

/** The rows of each table with this first column heading. */
function tablesWith(page: string, head: string): string[][][] {
  return [...page.matchAll(/(?:^\|.*\|\n)+/gm)].flatMap(([table]) => {
    const [first = [], , ...rows] = table.trim().split('\n').map(cellsOf);
    return first[0] === head ? [rows] : [];
  });
}

function tableWith(page: string, head: string): string[][] {
  return tablesWith(page, head)[0] ?? [];
}

function plain(cell: string | undefined): string {
  return (cell ?? '').replaceAll('`', '');
}

function refusalOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return '';
}

function attemptsOf(kind: 'verification' | 'message'): number {
  let attempts = 1;
  while (retryDelayMs({ kind, attempts }, 'greylisted') !== null) attempts += 1;
  return attempts;
}
