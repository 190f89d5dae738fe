import { describe, expect, it } from 'vitest';
import { matchWithin } from '#src/connectors/kinds/slack/match-within.ts';

const timeout = Object.assign(new Error('Script execution timed out after 100ms'), {
  code: 'ERR_SCRIPT_EXECUTION_TIMEOUT',
});

/** Attempts that time out, and use this much processor time each. */
function timeouts(cpuMsPerAttempt: number, { count }: { count: number }) {
  let attempts = 0;
  return {
    match: (): boolean => {
      attempts += 1;
      if (attempts <= count) throw timeout;
      return true;
    },
    cpuMs: (): number => attempts * cpuMsPerAttempt,
    attempts: (): number => attempts,
  };
}

describe('a match', () => {
  it('is repeated when its timeout passed while the thread waited for a processor', () => {
    const { match, cpuMs, attempts } = timeouts(1, { count: 5 });
    expect(matchWithin(match, cpuMs)).toBe(true);
    expect(attempts()).toBe(6);
  });

  it('fails at its first timeout when it used the processor itself', () => {
    const { match, cpuMs, attempts } = timeouts(95, { count: Infinity });
    expect(() => matchWithin(match, cpuMs)).toThrow(timeout);
    expect(attempts()).toBe(1);
  });

  it('fails when its attempts together have used the processor time of one match', () => {
    const { match, cpuMs, attempts } = timeouts(20, { count: Infinity });
    expect(() => matchWithin(match, cpuMs)).toThrow(timeout);
    expect(attempts()).toBe(3);
  });

  it('fails at once with an error that is no timeout', () => {
    const broken = new RangeError('Maximum call stack size exceeded');
    let attempts = 0;
    const match = (): boolean => {
      attempts += 1;
      throw broken;
    };
    expect(() => matchWithin(match, () => 0)).toThrow(broken);
    expect(attempts).toBe(1);
  });
});
