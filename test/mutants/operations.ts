import type { Mutant } from './mutant.ts';

const alarms = {
  file: 'src/operations/judge-alarms.ts',
  tests: ['test/unit/operations/judge-alarms.test.ts'],
} as const;

/** Faults in alarms, figures, sign-in, guarded processes and deliverability checks. */
export const operationsMutants: readonly Mutant[] = [
  {
    fault: 'a restart of workers raises an alarm',
    ...alarms,
    find: 'if (now.getTime() - since.getTime() < UNSERVED_MS) return null;',
    replace: '',
  },
  {
    fault: 'a paused queue is called stuck',
    ...alarms,
    find: 'if (isPaused || workers === 0 || finishedLately > 0) return null;',
    replace: 'if (workers === 0 || finishedLately > 0) return null;',
  },
  {
    fault: 'a queue whose oldest shrinks again is falling behind',
    ...alarms,
    find: 'index === 0 || ms > (recent[index - 1] ?? 0)',
    replace: 'index === 0 || ms > 0',
  },
  {
    fault: 'a quantile is one class too low',
    file: 'src/operations/histogram.ts',
    find: 'let left = Math.max(1, Math.ceil(total * share));',
    replace: 'let left = Math.max(1, Math.floor(total * share) - 1);',
    tests: ['test/unit/operations/job-history.test.ts'],
  },
  {
    fault: 'a guarded process inherits the environment of the service',
    file: 'src/platform/guarded-process.ts',
    find: '    env: ENVIRONMENT,',
    replace: '    env: { ...process.env, ...ENVIRONMENT },',
    tests: ['test/unit/platform/guarded-processes.test.ts'],
  },
  {
    fault: 'a task that takes too long blocks its process for ever',
    file: 'src/platform/guarded-process.ts',
    find: 'const timer = setTimeout(late, limits.waitMs);',
    replace: 'const timer = setTimeout(() => undefined, limits.waitMs); void late;',
    tests: ['test/unit/platform/guarded-processes.test.ts'],
  },
  {
    fault: 'the token of an owner link is stored as it is',
    file: 'src/accounts/people/link-token.ts',
    find: 'return { token, tokenHash: hashLinkToken(token) };',
    replace: 'return { token, tokenHash: Buffer.from(token) };',
    tests: ['test/integration/accounts/sign-in.test.ts'],
  },
  {
    fault: 'a second SPF record is advised in place of one',
    file: 'src/email/deliverability/check-spf.ts',
    find: 'merged([record], missing && allowed)',
    replace: 'merged([], missing && allowed)',
    tests: ['test/unit/email/deliverability/deliverability.test.ts'],
  },
  {
    fault: 'a sender is told that a provider with its own envelope address is aligned',
    file: 'src/email/deliverability/explain-alignment.ts',
    find: "envelope === null ? alignedBy(spf) : 'not_aligned'",
    replace: 'alignedBy(spf)',
    tests: ['test/unit/email/deliverability/deliverability.test.ts'],
  },
  {
    fault: 'the DMARC policy for subdomains is ignored',
    file: 'src/email/deliverability/check-dmarc.ts',
    find: "name !== domain && tags.has('sp') ? 'sp' : 'p'",
    replace: "'p'",
    tests: ['test/unit/email/deliverability/deliverability.test.ts'],
  },
];
