const MINUTE_MS = 60_000;

export interface ResearchLimits {
  /**
   * Maximum calls of the orchestrator; `reasoningCycles` when the model reasons by itself and needs no calls to think.
   */
  cycles: number;
  reasoningCycles: number;
  agentsPerCycle: number;
  /** Maximum steps in which one agent may use tools. */
  agentCycles: number;
  /** After this, an agent starts no new step and writes its report. */
  agentSoftMs: number;
  /** After this, an agent is ended in any case. */
  agentHardMs: number;
  /** After this, no new step of any kind starts: the final report is written. */
  totalMs: number;
  /** For one model call; its text up to then counts. */
  callMs: number;
  /** Input and output of all calls before the final report. */
  totalTokens: number;
  reportTokens: number;
  intermediateTokens: number;
}

export const RESEARCH_LIMITS: ResearchLimits = {
  cycles: 8,
  reasoningCycles: 4,
  agentsPerCycle: 3,
  agentCycles: 8,
  agentSoftMs: 12 * MINUTE_MS,
  agentHardMs: 30 * MINUTE_MS,
  totalMs: 30 * MINUTE_MS,
  callMs: 10 * MINUTE_MS,
  totalTokens: 2_000_000,
  reportTokens: 20_000,
  intermediateTokens: 10_000,
};

/** Time and tokens used by one research. */
export class ResearchBudget {
  readonly #now: () => Date;
  readonly #endsAtMs: number;
  #tokensLeft: number;

  constructor(limits: Pick<ResearchLimits, 'totalMs' | 'totalTokens'>, now: () => Date) {
    this.#now = now;
    this.#endsAtMs = now().getTime() + limits.totalMs;
    this.#tokensLeft = limits.totalTokens;
  }

  spend(tokens: number): void {
    this.#tokensLeft -= tokens;
  }

  /** Only the final report may still be started. */
  get isSpent(): boolean {
    return this.#tokensLeft <= 0 || this.msLeft <= 0;
  }

  get msLeft(): number {
    return this.#endsAtMs - this.#now().getTime();
  }
}
