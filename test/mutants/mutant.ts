/** A fault put into the product by hand, which the tests named must notice. */
export interface Mutant {
  /** What goes wrong with it, as a sentence. */
  fault: string;
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
  /** Files that cover the place, each as a path. */
  tests: readonly string[];
  /** What the tests need to notice it: two connections at once, which the embedded size has not. */
  needs?: 'TEST_DATABASE_URL';
}
