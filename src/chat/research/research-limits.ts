const MINUTE_MS = 60_000;

export interface ResearchLimits {
  /** Calls of the orchestrator; `reasoningCycles` when the model reasons by itself and needs no calls to think. */
  cycles: number;
  reasoningCycles: number;
  agentsPerCycle: number;
  /** Steps in which one agent may use tools. */
  agentCycles: number;
  /** After this an agent begins no new step and writes its report. */
  agentSoftMs: number;
  /** After this an agent is ended, whatever it does. */
  agentHardMs: number;
  /** After this no new step of any kind begins: the final report is written. */
  totalMs: number;
  /** Of one call of the model; what it has said by then counts. */
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

/** Time and tokens of one research. */
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

  /** Nothing new is to be begun but the final report. */
  get isSpent(): boolean {
    return this.#tokensLeft <= 0 || this.msLeft <= 0;
  }

  get msLeft(): number {
    return this.#endsAtMs - this.#now().getTime();
  }
}
