import type { KnownUrls } from '#src/chat/search/known-urls.ts';
import type { PacketBody } from '#src/chat/wire/packets.ts';
import type { Tool, ToolContext, ToolResult } from '#src/chat/tools/tool.ts';

/** Wraps a search so that its results may be opened: the URLs of the results, not those in their texts. */
export function notingUrls(search: Tool, known: KnownUrls): Tool {
  return { ...search, run };

  async function* run(
    input: unknown,
    context: ToolContext,
  ): AsyncGenerator<PacketBody, ToolResult> {
    const result = yield* search.run(input, context);
    for (const { link, document_id } of result.documents) known.add([link ?? '', document_id]);
    return result;
  }
}
