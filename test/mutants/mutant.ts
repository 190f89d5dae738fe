/** A fault put into the product on purpose, which the named tests must detect. */
export interface Mutant {
  /** The resulting misbehavior, as a sentence. */
  fault: string;
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
  /** Paths of the test files that cover the code. */
  tests: readonly string[];
  /** What the tests need to detect it: two connections at once, which the embedded size does not have. */
  needs?: 'TEST_DATABASE_URL';
}
