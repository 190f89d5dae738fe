import type { Config } from '#src/platform/config.ts';
import type { Embedder } from './embed.ts';
import { createBuiltinEmbedder } from './embed-builtin.ts';
import { createOnnxEmbedder } from './embed-onnx.ts';
import { createOpenAiEmbedder } from './embed-openai.ts';
import { embedInThreads, type IndexThreads } from './index-threads.ts';

/** Creates the configured embedder; `parseConfig` has already checked that its settings are complete. */
export async function createEmbedder(
  config: Config,
  fetch: typeof globalThis.fetch,
  threads: IndexThreads,
): Promise<Embedder> {
  const dimensions = config.EMBEDDING_DIMENSIONS;
  const model = config.EMBEDDING_MODEL ?? '';
  switch (config.EMBEDDING_PROVIDER) {
    case 'builtin':
      return embedInThreads(createBuiltinEmbedder({ dimensions }), threads);
    case 'openai':
      return createOpenAiEmbedder({
        baseUrl: config.EMBEDDING_BASE_URL ?? '',
        apiKey: config.EMBEDDING_API_KEY ?? null,
        model,
        dimensions,
        fetch,
      });
    case 'onnx':
      return createOnnxEmbedder({ model, dimensions });
  }
}
