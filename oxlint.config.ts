import { defineConfig, type DummyRuleMap } from 'oxlint';
import { importOverrides } from './lint/restrict-imports.ts';

const CALL_OUT = 'Call out through src/platform/http.ts';
const NO_MOCKS = 'Pass a fake as an argument; if that is not possible, an argument is missing.';

const RULES: DummyRuleMap = {
  'typescript/await-thenable': 'error',
  'typescript/no-floating-promises': 'error',
  'typescript/no-misused-promises': 'error',
  'typescript/no-unsafe-argument': 'error',
  'typescript/no-unsafe-assignment': 'error',
  'typescript/no-unsafe-call': 'error',
  'typescript/no-unsafe-member-access': 'error',
  'typescript/no-unsafe-return': 'error',
  'typescript/no-unsafe-function-type': 'error',
  'typescript/no-explicit-any': 'error',
  'typescript/no-non-null-assertion': 'error',
  'typescript/only-throw-error': 'error',
  'typescript/prefer-promise-reject-errors': 'error',
  'typescript/switch-exhaustiveness-check': 'error',
  'typescript/no-unnecessary-type-assertion': 'error',
  'typescript/consistent-type-imports': 'error',
  'import/no-cycle': 'error',
  'import/no-default-export': 'error',
  'import/no-relative-parent-imports': 'error',
  'node/no-process-env': 'error',
  'no-restricted-properties': [
    'error',
    {
      object: 'process',
      property: 'env',
      message: 'Only src/platform/config.ts reads the environment; take the value as an argument.',
    },
    { object: 'globalThis', property: 'fetch', message: `${CALL_OUT}.` },
  ],
  'no-restricted-globals': [
    'error',
    {
      globals: [
        { name: 'fetch', message: `${CALL_OUT}: it guards private addresses, time and size.` },
      ],
    },
  ],
  'no-unused-vars': ['error', { ignoreRestSiblings: true }],
  'no-console': 'error',
  'no-var': 'error',
  'prefer-const': 'error',
  eqeqeq: 'error',
  'unicorn/filename-case': ['error', { case: 'kebabCase' }],
  'max-lines': ['error', { max: 300 }],
  'max-lines-per-function': ['error', { max: 60 }],
};

/** A test holds what it says together: its length tells little of whether it can be read. */
const TEST_RULES: DummyRuleMap = {
  'no-restricted-globals': 'off',
  'no-restricted-properties': 'off',
  'node/no-process-env': 'off',
  'max-lines': ['error', { max: 400 }],
  'max-lines-per-function': 'off',
  // The JSON of an answer is checked by what a test asserts of it.
  'typescript/no-unsafe-argument': 'off',
  'typescript/no-unsafe-assignment': 'off',
  'typescript/no-unsafe-call': 'off',
  'typescript/no-unsafe-member-access': 'off',
  'typescript/no-unsafe-return': 'off',
};

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'node', 'promise'],
  categories: { correctness: 'error' },
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: [
    'node_modules/**',
    'coverage/**',
    'docs/**',
    'test/fixtures/files/**',
    'src/client/api-types.ts',
    'src/console/web/data/api-types.ts',
  ],
  rules: RULES,
  overrides: [
    ...importOverrides(),
    {
      files: ['src/platform/config.ts'],
      rules: { 'node/no-process-env': 'off', 'no-restricted-properties': 'off' },
    },
    {
      files: ['src/platform/http.ts', 'src/cli/**', 'src/client/**', 'src/console/web/data/**'],
      rules: { 'no-restricted-globals': 'off' },
    },
    {
      files: [
        'src/main.ts',
        'src/api.ts',
        'src/migrate.ts',
        'src/cli/**',
        'workers/main.ts',
        'bench/**',
      ],
      rules: { 'no-console': 'off' },
    },
    { files: ['test/**', 'bench/**'], rules: TEST_RULES },
    {
      files: ['test/**'],
      plugins: ['typescript', 'unicorn', 'oxc', 'import', 'node', 'promise', 'vitest'],
      rules: {
        'vitest/no-focused-tests': 'error',
        'vitest/no-restricted-vi-methods': [
          'error',
          { mock: NO_MOCKS, doMock: NO_MOCKS, hoisted: NO_MOCKS, stubGlobal: NO_MOCKS },
        ],
      },
    },
    {
      // A syntax tree has some 200 kinds of nodes; each function here knows a few.
      // So has a stream of packets, of which a page shows some.
      files: ['test/support/sql/**', 'src/console/web/**'],
      rules: {
        'typescript/switch-exhaustiveness-check': [
          'error',
          { considerDefaultExhaustiveForUnions: true },
        ],
      },
    },
    {
      // A fixture bears the name of its kind.
      files: ['test/fixtures/connectors/**'],
      rules: {
        'unicorn/filename-case': ['error', { cases: { kebabCase: true, snakeCase: true } }],
      },
    },
    {
      files: ['test/vitest.config.ts', 'oxlint.config.ts'],
      rules: { 'import/no-default-export': 'off' },
    },
  ],
});
