import { createHash } from 'node:crypto';
import type { ConnectorContext, MemoryEntry } from '#src/connectors/source/connector.ts';
import { type MessagePlace, messageUrl, parseDocumentId } from './imap-address.ts';
import type { ImapAddress } from '#src/platform/imap-session.ts';

interface MessagesWithoutId {
  address: ImapAddress;
  context: ConnectorContext;
}

/**
 * The document id of a message without a `Message-ID`: its place, or its place before the server renumbered the
 * mailbox, recognized by its content.
 */
export async function nameByContent(
  { address, context }: MessagesWithoutId,
  place: MessagePlace,
  source: Uint8Array,
): Promise<{ id: string; memory: MemoryEntry }> {
  const url = messageUrl(address, place);
  const hash = createHash('sha256').update(source).digest('hex');
  const contentKey = `content:${place.mailbox}:${hash}`;
  const before = (await context.recall([contentKey])).get(contentKey);
  if (isSameBefore(before, place)) {
    return { id: before, memory: remembered(placeKey(url), before) };
  }
  return { id: url, memory: remembered(contentKey, url) };
}

/** The document ids of messages without a `Message-ID`, by their current places. */
export async function recallNames(
  { address, context }: MessagesWithoutId,
  places: readonly MessagePlace[],
): Promise<(place: MessagePlace) => string> {
  const keyOf = (place: MessagePlace): string => placeKey(messageUrl(address, place));
  const known = await context.recall(places.map(keyOf));
  return (place) => {
    const before = known.get(keyOf(place));
    return typeof before === 'string' ? before : messageUrl(address, place);
  };
}

/** Two equal messages under the same numbering are two documents. */
function isSameBefore(id: unknown, { mailbox, uidValidity }: MessagePlace): id is string {
  if (typeof id !== 'string') return false;
  const before = parseDocumentId(id);
  return (
    before !== null &&
    'mailbox' in before &&
    before.mailbox === mailbox &&
    before.uidValidity !== uidValidity
  );
}

function placeKey(url: string): string {
  return `place:${url}`;
}

function remembered(key: string, value: string): MemoryEntry {
  return { key, documentId: null, value, lasting: true };
}
