import { z } from 'zod';

import { type FoundDocument, searchAll, type SearchIndex } from '#src/chat/search/search-all.ts';
import { toSearchDoc } from '#src/chat/citations/to-search-doc.ts';
import { tidyTexts, textList } from '#src/chat/tools/text-list.ts';
import {
  defineTool,
  type Tool,
  type ToolContext,
  ToolFailed,
  TOOL_IDS,
} from '#src/chat/tools/tool.ts';

/** A question may be long, but its key words come early. */
const QUERY_LIMITS = { count: 10, length: 2_000 };

const INPUT = z.object({
  queries: textList(
    'One to five short searches that together find what is asked for, in the language of the documents.',
  ),
});

/** The tool that searches the workspace's own documents. `search` is bound to its workspace, user and filters. */
export function createInternalSearch(search: SearchIndex): Tool {
  return defineTool({
    id: TOOL_IDS.internalSearch,
    name: 'internal_search',
    description:
      'Searches the documents that the workspace has indexed: its wiki, files, issues, messages and pages. Use it for whatever the workspace may know. The results are numbered passages to be cited.',
    mergedBy: 'queries',
    showFailure: () => ({
      start: { type: 'search_tool_start', is_internet_search: false },
      error: null,
    }),
    input: INPUT,
    async *run(input, context) {
      yield { type: 'search_tool_start', is_internet_search: false };
      const { queries, question } = queriesOf(input.queries, context);
      yield { type: 'search_tool_queries_delta', queries };
      const found = await searchAll(search, { queries, question }, context.signal);
      const hits = found.map(({ hit }) => hit);
      const documents = hits.map(toSearchDoc);
      if (documents.length > 0) yield { type: 'search_tool_documents_delta', documents };
      return { text: describeFound(found, context), documents, hits };
    },
  });
}

/** The tool's queries, plus the user's words if they are not among them. */
function queriesOf(
  asked: readonly string[],
  context: ToolContext,
): { queries: string[]; question: string | null } {
  const [question = null] = tidyTexts([context.question], QUERY_LIMITS);
  const queries = tidyTexts(asked, QUERY_LIMITS);
  if (queries.length === 0) {
    if (question === null) throw new ToolFailed('queries is empty. Name what to search for.');
    return { queries: [question], question: null };
  }
  const isAmong = queries.some((query) => query.toLowerCase() === question?.toLowerCase());
  return { queries, question: isAmong ? null : question };
}

/** Without links, because a model that sees links writes them next to the ones generated from citations. */
function describeFound(found: readonly FoundDocument[], { numbers }: ToolContext): string {
  if (found.length === 0) {
    return JSON.stringify({ results: [], notice: 'No indexed document fits these searches.' });
  }
  const results = found.map(({ hit, content }) => ({
    citation: numbers.numberOf(toSearchDoc(hit)),
    title: hit.semantic_identifier,
    headings: hit.headings,
    source: hit.source_type,
    updated_at: hit.updated_at,
    metadata: hit.metadata,
    content,
  }));
  return JSON.stringify({ results });
}
