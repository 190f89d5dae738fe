import { createHash } from 'node:crypto';
import { z } from 'zod';
import { GiveUp } from '#src/platform/errors.ts';
import type { ConnectorContext, MemoryEntry } from './connector.ts';
import type { FileList } from './file-list.ts';

const owner = z.object({ file: z.string(), name: z.string() });

/**
 * Says that an id which metadata gives to a file is that file's. One document cannot hold two files: the second would
 * replace the first without a word.
 * @param unsaved what the present page remembers
 * @throws GiveUp when another file of the connector has it
 */
export async function claimId(
  id: string,
  claimant: z.infer<typeof owner>,
  { files }: Pick<FileList, 'files'>,
  context: ConnectorContext,
  unsaved: readonly MemoryEntry[],
): Promise<MemoryEntry> {
  const key = `id:${createHash('sha256').update(id).digest('base64url')}`;
  const here = unsaved.find((entry) => entry.key === key);
  const known = owner.safeParse(here ? here.value : (await context.recall([key])).get(key)).data;
  if (known && known.file !== claimant.file && files.some((file) => file.id === known.file)) {
    throw new GiveUp(`${claimant.name} has the id "${id}", as ${known.name} has.`);
  }
  return { key, documentId: id, value: claimant };
}
