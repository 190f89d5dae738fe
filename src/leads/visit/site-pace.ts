import { sql } from 'kysely';
import type { LeadServices } from '#src/leads/lead-services.ts';

/** The site may be requested again only after the visit must have ended. */
export class SlotTooFar extends Error {
  override readonly name = 'SlotTooFar';
  readonly waitMs: number;

  constructor(domain: string, waitMs: number) {
    super(
      `${domain} accepts requests again only in ${inWords(waitMs)}: it asked for a pause (Retry-After), or other visits wait for their turn. Try again later.`,
    );
    this.waitMs = waitMs;
  }
}

export interface Turn {
  /** The registrable domain: all its hosts are one site. */
  domain: string;
  /** The delay between two requests that its robots.txt asks for. */
  crawlDelayMs: number;
  /** The longest acceptable wait for a turn. */
  leftMs: number;
  signal: AbortSignal;
}

/**
 * Waits until the site may be requested, once: the gap between two requests holds across all processes.
 * @returns the milliseconds waited
 * @throws SlotTooFar when the wait would exceed `leftMs` (no turn is taken then); the signal's reason
 */
export async function takeTurn(
  services: Pick<LeadServices, 'db' | 'config' | 'wait'>,
  { domain, crawlDelayMs, leftMs, signal }: Turn,
): Promise<number> {
  const { db, wait } = services;
  const gapMs = gapOf(services, crawlDelayMs);
  const waitMs = await reserveSlot(db, { domain, gapMs, leftMs });
  if (waitMs > 0) await wait(waitMs, signal);
  return waitMs;
}

/** Milliseconds between two requests. */
export function gapOf({ config }: Pick<LeadServices, 'config'>, crawlDelayMs: number): number {
  return Math.max(config.LEAD_REQUEST_GAP_MS, crawlDelayMs);
}

/**
 * Reserves the next free slot of the domain, by the database's clock.
 * @returns milliseconds until then
 * @throws SlotTooFar when there is none within `leftMs`
 */
export async function reserveSlot(
  db: LeadServices['db'],
  { domain, gapMs, leftMs }: { domain: string; gapMs: number; leftMs: number },
): Promise<number> {
  const { rows } = await sql<{ wait_ms: number }>`
    insert into site_pace as pace (domain, next_request_at)
    values (${domain}, now() + ${gapMs}::float8 * interval '1 millisecond')
    on conflict (domain) do update
      set next_request_at = greatest(now(), pace.next_request_at)
        + ${gapMs}::float8 * interval '1 millisecond'
      where pace.next_request_at <= now() + ${leftMs}::float8 * interval '1 millisecond'
    returning (extract(epoch from next_request_at - now()) * 1000)::float8 - ${gapMs}::float8
      as wait_ms`.execute(db);
  const [slot] = rows;
  if (slot) return Math.max(0, Math.round(slot.wait_ms));
  throw new SlotTooFar(domain, await untilNextSlot(db, domain));
}

async function untilNextSlot(db: LeadServices['db'], domain: string): Promise<number> {
  const { rows } = await sql<{ wait_ms: number }>`
    select (extract(epoch from next_request_at - now()) * 1000)::float8 as wait_ms
    from site_pace where domain = ${domain}`.execute(db);
  return Math.max(0, rows[0]?.wait_ms ?? 0);
}

/** A longer pause is a mistake, or malicious. */
const MAX_PAUSE_MS = 3_600_000;

/** Pauses requests to the site for this long, at most an hour: no visit gets an earlier slot. */
export async function pauseSite(
  db: LeadServices['db'],
  domain: string,
  pauseMs: number,
): Promise<void> {
  const ms = Math.min(pauseMs, MAX_PAUSE_MS);
  await sql`
    insert into site_pace as pace (domain, next_request_at)
    values (${domain}, now() + ${ms}::float8 * interval '1 millisecond')
    on conflict (domain) do update
      set next_request_at = greatest(pace.next_request_at, excluded.next_request_at)`.execute(db);
}

function inWords(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;
}
