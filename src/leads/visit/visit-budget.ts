import { loopLagMs } from '#src/platform/loop-lag.ts';

/** How much of a site is read, and how long that may take. */
export interface VisitLimits {
  pages: number;
  /** Number of links from the start page. */
  depth: number;
  /** Depth for pages and vCards of people: home, people, profile, card. */
  peopleDepth: number;
  /** Frames per page. */
  frames: number;
  /** Requests for pages and sitemaps, including failed ones and redirects. */
  requests: number;
  pageTimeoutMs: number;
  /** Total time spent in requests. */
  fetchMs: number;
  /** Including the waits between requests. What this machine is slow at is not the site's. */
  visitMs: number;
  renderedPages: number;
}

export const VISIT_LIMITS: VisitLimits = {
  pages: 12,
  depth: 2,
  peopleDepth: 3,
  frames: 3,
  requests: 30,
  pageTimeoutMs: 10_000,
  fetchMs: 20_000,
  visitMs: 45_000,
  renderedPages: 3,
};

/** Requested pages come on top of the usual limits, each with the time of an ordinary page. */
export function limitsFor(furtherStarts: number): VisitLimits {
  const { pages, requests, fetchMs, visitMs, ...rest } = VISIT_LIMITS;
  return {
    ...rest,
    pages: pages + furtherStarts,
    requests: requests + 2 * furtherStarts,
    fetchMs: Math.min(MAX_FETCH_MS, fetchMs + furtherStarts * 2_000),
    visitMs: Math.min(MAX_VISIT_MS, visitMs + furtherStarts * 3_000),
  };
}

const MAX_FETCH_MS = 60_000;
const MAX_VISIT_MS = 150_000;

/** The visit has nothing left to spend. The message says what ran out. */
export class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent';
}

/** What is left of one visit. */
export class VisitBudget {
  readonly limits: VisitLimits;
  private requests = 0;
  private fetchedMs = 0;
  private otherMs = 0;

  constructor(limits: VisitLimits) {
    this.limits = limits;
  }

  /** For the whole visit. */
  get leftMs(): number {
    return Math.max(0, this.limits.visitMs - this.fetchedMs - this.otherMs);
  }

  /** For requests. */
  get fetchLeftMs(): number {
    return Math.min(this.leftMs, Math.max(0, this.limits.fetchMs - this.fetchedMs));
  }

  get isSpent(): boolean {
    return this.fetchLeftMs <= 0 || this.requests >= this.limits.requests;
  }

  /**
   * Runs one request, and passes it the time that it may take.
   * @throws BudgetSpent when there is no time or request left for it
   */
  async spend<T>(maxMs: number, request: (timeoutMs: number) => Promise<T>): Promise<T> {
    if (this.isSpent) throw new BudgetSpent('The visit has used up its time.');
    this.requests += 1;
    const startedMs = performance.now();
    const laggedMs = loopLagMs();
    try {
      return await request(Math.ceil(Math.min(maxMs, this.fetchLeftMs)));
    } finally {
      const elapsedMs = performance.now() - startedMs;
      const ownMs = loopLagMs() - laggedMs;
      // At least half counts, so that visits end on a machine that never has time.
      this.fetchedMs += Math.max(elapsedMs / 2, elapsedMs - ownMs);
    }
  }

  /** Waits also count as time of the visit. */
  note(ms: number): void {
    this.otherMs += ms;
  }
}
