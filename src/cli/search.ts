import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import {
  type AddCommand,
  type CommandContext,
  printJson,
  repeated,
  wholeNumber,
} from './command-context.ts';
import { bold, type OutputStream, plainLine } from './terminal.ts';

interface SearchOptions {
  limit: number;
  source?: string[];
  tag?: Record<string, string>;
}

const searchAnswer = z.object({
  results: z.array(
    z.looseObject({
      document_id: z.string(),
      semantic_identifier: z.string(),
      link: z.string().nullable(),
      source_type: z.string(),
      score: z.number().nullable(),
      blurb: z.string(),
      match_highlights: z.array(z.string()),
    }),
  ),
  took_ms: z.number(),
});
type Result = z.output<typeof searchAnswer>['results'][number];

/** `millrace search`: the documents that best match a query, each with its best passage. */
export const addSearchCommand: AddCommand = (program, context) => {
  program
    .command('search')
    .summary('find documents')
    .description('Find the documents that fit a query best; each is shown with its best passage.')
    .argument('<query...>', 'what to look for')
    .option('--limit <n>', 'number of documents', wholeNumber(1, 100), 10)
    .option('--source <source>', 'only documents of this source type (repeatable)', repeated)
    .option('--tag <key=value>', 'only documents with this metadata (repeatable)', collectTag)
    .addHelpText(
      'after',
      '\nExample:\n  millrace search retry policy --source wiki --tag team=core',
    )
    .action((words: string[], options: SearchOptions) => search(words.join(' '), options, context));
};

function collectTag(text: string, earlier: Record<string, string> = {}): Record<string, string> {
  const split = text.indexOf('=');
  if (split < 1) throw new InvalidArgumentError('It must look like key=value.');
  return { ...earlier, [text.slice(0, split)]: text.slice(split + 1) };
}

async function search(
  query: string,
  options: SearchOptions,
  context: CommandContext,
): Promise<void> {
  const client = context.connect();
  const answer = await client.json('POST', '/search', searchAnswer, {
    body: { query, search_filters: toFilters(options), limit: options.limit },
    repeatable: true,
  });
  if (context.wantsJson()) {
    printJson(context, answer);
    return;
  }
  const { stdout } = context.terminal;
  if (answer.results.length === 0) stdout.write('Nothing found.\n');
  answer.results.forEach((result, index) => printResult(index + 1, result, stdout));
}

function toFilters({ source = [], tag = {} }: SearchOptions): Record<string, unknown> {
  return {
    ...(source.length > 0 ? { source_type: source } : {}),
    ...(Object.keys(tag).length > 0 ? { tags: tag } : {}),
  };
}

function printResult(rank: number, result: Result, stdout: OutputStream): void {
  const score = result.score === null ? '' : `  ${result.score.toFixed(3)}`;
  const indent = ' '.repeat(String(rank).length + 2);
  stdout.write(`${rank}. ${bold(plainLine(result.semantic_identifier), stdout)}${score}\n`);
  stdout.write(`${indent}${plainLine(result.link ?? result.document_id)}\n`);
  stdout.write(`${indent}${highlight(result.match_highlights[0] ?? result.blurb, stdout)}\n\n`);
}

/** The service marks matches as `<hi>…</hi>`; a terminal shows them in bold. */
function highlight(fragment: string, stdout: OutputStream): string {
  return plainLine(fragment)
    .split(/<hi>([\s\S]*?)<\/hi>/)
    .map((part, index) => (index % 2 === 1 ? bold(part, stdout) : part))
    .join('');
}
