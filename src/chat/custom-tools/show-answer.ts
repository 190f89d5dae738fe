import type { PacketBody } from '#src/chat/wire/packets.ts';
import type { FileStore } from '#src/files/file-store.ts';
import type { StoredFileId, UserId, WorkspaceId } from '#src/ids.ts';
import type { ServiceAnswer } from './service-answer.ts';

export interface FileOwner {
  workspaceId: WorkspaceId;
  userId: UserId;
}

export type CustomToolDelta = Extract<PacketBody, { type: 'custom_tool_delta' }>;

const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/csv': 'csv',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

/**
 * The packet for a response, and the text for the model. Images and tables are stored for the user.
 * @param tool the tool's name as known to the model
 */
export async function showAnswer(
  files: Pick<FileStore, 'save'>,
  owner: FileOwner,
  tool: { name: string; id: number },
  answer: ServiceAnswer,
): Promise<{ packet: CustomToolDelta; text: string }> {
  const packet: CustomToolDelta = {
    type: 'custom_tool_delta',
    tool_name: tool.name,
    tool_id: tool.id,
    response_type: answer.type,
    data: null,
    file_ids: null,
    error: null,
  };
  switch (answer.type) {
    case 'json':
      return { packet: { ...packet, data: answer.value }, text: answer.text };
    case 'text':
      return { packet: { ...packet, data: answer.text }, text: answer.text };
    case 'csv': {
      const id = await store(files, owner, tool.name, answer);
      const text = `${answer.text}\n[The user was given this table as a file.]`;
      return { packet: { ...packet, file_ids: [id] }, text };
    }
    case 'image': {
      const id = await store(files, owner, tool.name, answer);
      const text = `[The answer is an image (${answer.mediaType}). It is shown to the user.]`;
      return { packet: { ...packet, file_ids: [id] }, text };
    }
  }
}

async function store(
  files: Pick<FileStore, 'save'>,
  { workspaceId, userId }: FileOwner,
  toolName: string,
  { bytes, mediaType }: { bytes: Uint8Array; mediaType: string },
): Promise<StoredFileId> {
  async function* content(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  const stored = await files.save(
    {
      workspaceId,
      createdBy: userId,
      name: `${toolName}.${EXTENSIONS[mediaType] ?? 'bin'}`,
      mediaType,
      metadata: { origin: 'custom_tool' },
    },
    content(),
  );
  return stored.id;
}
