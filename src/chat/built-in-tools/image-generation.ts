import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';

import type { GeneratedImage } from '#src/chat/wire/packets.ts';
import { imageProviderOf } from '#src/chat/images/image-provider.ts';
import { IMAGE_SHAPES } from '#src/chat/images/image-size.ts';
import { type ImageMakerServices, makeImage } from '#src/chat/images/make-image.ts';
import { cleanText } from '#src/documents/clean-text.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import { defineTool, type Tool, ToolFailed, TOOL_IDS } from '#src/chat/tools/tool.ts';

const MAX_PROMPT_LENGTH = 4_000;
const HEARTBEAT_MS = 5_000;

const INPUT = z.object({
  prompt: z.string().describe('What the image shows, in full sentences.'),
  shape: z.enum(IMAGE_SHAPES).default('square').describe('The shape of the image.'),
});

type Needed = ImageMakerServices & Pick<ChatServices, 'config'>;

interface Owner {
  workspaceId: WorkspaceId;
  userId: UserId;
}

interface Timings {
  heartbeatMs?: number;
  timeoutMs?: number;
}

/** The tool that generates an image; null without IMAGE_MODEL. */
export function createImageGeneration(
  services: Needed,
  owner: Owner,
  timings: Timings = {},
): Tool | null {
  const provider = imageProviderOf(services);
  if (provider === null) return null;
  const { heartbeatMs = HEARTBEAT_MS, ...limits } = timings;
  return defineTool({
    id: TOOL_IDS.imageGeneration,
    name: 'generate_image',
    description:
      'Makes an image and shows it to the user. Use it only when the user asks for an image.',
    isLast: true,
    showFailure: () => ({ start: { type: 'image_generation_start' }, error: null }),
    input: INPUT,
    async *run({ prompt: written, shape }, { signal }) {
      yield { type: 'image_generation_start' };
      const prompt = cleanText(written.trim()).slice(0, MAX_PROMPT_LENGTH).toWellFormed();
      if (prompt === '') throw new ToolFailed('prompt is empty. Say what the image shows.');
      const leaving = new AbortController();
      const order = { prompt, shape, ...limits, signal: AbortSignal.any([signal, leaving.signal]) };
      try {
        const making = makeImage(services, provider, owner, order);
        // It may reject while nobody awaits it.
        making.catch(() => undefined);
        yield { type: 'image_generation_heartbeat' };
        while (!(await isSettled(making, heartbeatMs)))
          yield { type: 'image_generation_heartbeat' };
        const image = await making;
        yield { type: 'image_generation_final', images: [image] };
        return { text: describeImage(image), documents: [], images: [image] };
      } finally {
        // Aborts the call when the consumer stops reading.
        leaving.abort();
      }
    },
  });
}

/** Whether it settles within this time; the promise itself tells how. */
async function isSettled(promise: Promise<unknown>, withinMs: number): Promise<boolean> {
  const timer = new AbortController();
  const settled = promise.then(
    () => true,
    () => true,
  );
  const late = wait(withinMs, false, { signal: timer.signal }).catch(() => false);
  try {
    return await Promise.race([settled, late]);
  } finally {
    timer.abort();
  }
}

/** Without its URL: the image is already shown, and a link would show it twice. */
function describeImage({ file_id, revised_prompt }: GeneratedImage): string {
  return JSON.stringify({
    result:
      'The image was made and the user sees it. Say in a sentence what it shows, without a link to it.',
    file_id,
    revised_prompt,
  });
}
