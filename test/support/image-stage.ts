import { createImageGeneration } from '#src/chat/built-in-tools/image-generation.ts';
import type { Tool } from '#src/chat/tools/tool.ts';
import type { FileStore, NewFile } from '#src/files/file-store.ts';
import type { StoredFileId, UserId, WorkspaceId } from '#src/ids.ts';
import { parseConfig } from '#src/platform/config.ts';
import { createHttpClient, createOperatorFetch } from '#src/platform/http.ts';
import { type FakeImages, startFakeImages } from './fake-images-endpoint.ts';

export const IMAGE_KEY = 'sk-images-0123456789';

/** The image tool with a fake endpoint and a fake file store. */
export interface ImageStage extends AsyncDisposable {
  readonly images: FakeImages;
  readonly saved: { file: NewFile; bytes: Buffer }[];
  toolWith(
    settings?: Record<string, string>,
    timings?: { heartbeatMs?: number; timeoutMs?: number },
    save?: FileStore['save'],
  ): Tool | null;
}

const nothing = () => Promise.reject(new Error('The image tool must not call this.'));

export async function startImageStage(): Promise<ImageStage> {
  await using opened = new AsyncDisposableStack();
  const operatorFetch = createOperatorFetch();
  const http = opened.use(createHttpClient({ allowCidrs: [], proxyUrl: null }));
  const images = opened.use(await startFakeImages());
  const saved: ImageStage['saved'] = [];
  const remember: FileStore['save'] = async (file, content) => {
    const bytes = Buffer.concat(await Array.fromAsync(content));
    saved.push({ file, bytes });
    // A real store would have made this id.
    const id = `file-${saved.length}` as StoredFileId;
    return { ...file, id, byteCount: bytes.length, metadata: {}, createdAt: new Date(0) };
  };
  const resources = opened.move();
  return {
    images,
    saved,
    toolWith(settings = {}, timings = {}, save = remember) {
      const config = parseConfig({
        IMAGE_MODEL: 'painter-1',
        IMAGE_BASE_URL: images.url,
        IMAGE_API_KEY: IMAGE_KEY,
        ...settings,
      });
      const files = { save, find: nothing, read: nothing, remove: nothing };
      // The tool does not look them up.
      const owner = { workspaceId: 'w' as WorkspaceId, userId: 'u' as UserId };
      return createImageGeneration({ config, operatorFetch, http, files }, owner, timings);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
