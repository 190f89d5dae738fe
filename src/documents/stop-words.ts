/** Lucene's English stop set (33 words): too frequent to be worth a posting. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an and are as at be but by for if in into is it no not of on or such ' +
    'that the their then there these they this to was will with'
  ).split(' '),
);

/** English words that carry grammar, not topic; includes all stop words. The builtin embedder weights them less. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set([
  ...STOP_WORDS,
  ...(
    'i me my mine we us our ours you your yours he him his she her hers its them theirs who whom whose which what ' +
    'when where why how all any both each few more most other some same so than too very can could may might must ' +
    'shall should would do does did done doing have has had having am were been being about above after again ' +
    'against also because before below between down during from further here just now off once only out over own ' +
    'per through under until up upon while within without yet nor either neither every much many one'
  ).split(' '),
]);

/** Words by which a question asks rather than says what it is about. In a short query they may be the topic. */
export const REQUEST_WORDS: ReadonlySet<string> = new Set(
  (
    'article articles paper papers interested interesting find give describe describes discuss discusses discussing ' +
    'deal deals dealing concern concerned concerning regarding related relating exist exists existing available know ' +
    'like want need looking please tell anyone anybody someone something explain particular especially various ' +
    'several ways eg ie etc'
  ).split(' '),
);
