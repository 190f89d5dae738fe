import type { GeneratedImage } from '#src/chat/wire/packets.ts';
import { ToolFailed } from '#src/chat/tools/tool.ts';
import { cleanText } from '#src/documents/clean-text.ts';
import type { UserId, WorkspaceId } from '#src/ids.ts';
import { Problem } from '#src/platform/errors.ts';
import type { ChatServices } from '#src/chat/chat-services.ts';
import type { ImageProvider } from './image-provider.ts';
import type { ImageShape } from './image-size.ts';
import { type ImageServices, requestImage } from './request-image.ts';

export type ImageMakerServices = ImageServices & Pick<ChatServices, 'files'>;

/**
 * Generates an image and stores it for its owner.
 * @throws ToolFailed with the reason, the signal's reason when it aborts
 */
export async function makeImage(
  services: ImageMakerServices,
  provider: ImageProvider,
  { workspaceId, userId }: { workspaceId: WorkspaceId; userId: UserId },
  order: { prompt: string; shape: ImageShape; signal: AbortSignal; timeoutMs?: number },
): Promise<GeneratedImage> {
  const made = await requestImage(services, provider, order);
  order.signal.throwIfAborted();
  const { mediaType } = made;
  const name = `generated-image.${mediaType.replace('image/', '')}`;
  const file = { workspaceId, createdBy: userId, name, mediaType };
  try {
    const { id } = await services.files.save(file, once(made.bytes));
    return {
      file_id: id,
      url: `/api/chat/file/${id}`,
      revised_prompt: cleanText(made.revisedPrompt ?? order.prompt),
      shape: order.shape,
    };
  } catch (error) {
    if (error instanceof Problem) throw new ToolFailed(error.message, { cause: error });
    throw error;
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
