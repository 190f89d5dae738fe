const NOTICE =
  /\n\n(?:The earliest message|The (\d+) earliest messages) of this conversation (?:was|were) left out for its length\.$/;

/** The rules with a last line that says how many messages were omitted; a second notice adds to the first. */
export function addLeftOutNotice(rules: string, messages: number): string {
  if (messages === 0) return rules;
  const before = NOTICE.exec(rules);
  const all = messages + (before === null ? 0 : Number(before[1] ?? 1));
  const what = all === 1 ? 'The earliest message' : `The ${all} earliest messages`;
  const verb = all === 1 ? 'was' : 'were';
  return `${rules.replace(NOTICE, '')}\n\n${what} of this conversation ${verb} left out for its length.`;
}
