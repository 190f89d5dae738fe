/** How much of a site is read, and how long that may take. */
export interface VisitLimits {
  pages: number;
  /** Links from the start page. */
  depth: number;
  /** Requests for pages and sitemaps, those that fail and redirects included. */
  requests: number;
  pageTimeoutMs: number;
  /** Of the time that requests take, together. */
  fetchMs: number;
  /** With the waiting between requests. */
  visitMs: number;
  renderedPages: number;
}

export const VISIT_LIMITS: VisitLimits = {
  pages: 8,
  depth: 2,
  requests: 24,
  pageTimeoutMs: 10_000,
  fetchMs: 20_000,
  visitMs: 45_000,
  renderedPages: 3,
};

/** There is nothing left to spend on the visit. The message says what ran out. */
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

  /** Of the whole visit. */
  get leftMs(): number {
    return Math.max(0, this.limits.visitMs - this.fetchedMs - this.otherMs);
  }

  /** Of the time for requests. */
  get fetchLeftMs(): number {
    return Math.min(this.leftMs, Math.max(0, this.limits.fetchMs - this.fetchedMs));
  }

  get isSpent(): boolean {
    return this.fetchLeftMs <= 0 || this.requests >= this.limits.requests;
  }

  /**
   * Runs one request, which is told how long it may take.
   * @throws BudgetSpent when there is no time or request left for it
   */
  async spend<T>(maxMs: number, request: (timeoutMs: number) => Promise<T>): Promise<T> {
    if (this.isSpent) throw new BudgetSpent('The visit has taken as long as it may.');
    this.requests += 1;
    const startedMs = performance.now();
    try {
      return await request(Math.ceil(Math.min(maxMs, this.fetchLeftMs)));
    } finally {
      this.fetchedMs += performance.now() - startedMs;
    }
  }

  /** Waiting and reading take time of the visit, too. */
  note(ms: number): void {
    this.otherMs += ms;
  }
}
