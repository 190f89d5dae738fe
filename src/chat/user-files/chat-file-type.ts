import type { ChatFileType } from '#src/tables/chat.ts';

const TABLES = new Set([
  'text/csv',
  'text/tab-separated-values',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
]);

/** How chats treat a file of this media type. */
export function chatFileTypeOf(mediaType: string): ChatFileType {
  const [type = ''] = mediaType.split(';');
  if (/^image\/(?:png|jpeg|webp|gif)$/.test(type)) return 'image';
  if (TABLES.has(type)) return 'csv';
  return type.startsWith('text/') ? 'plain_text' : 'document';
}
