/** Longer ids are invalid. */
const MAX_ID_LENGTH = 500;

/** A header block with each field on one line (RFC 5322 section 2.2.3). */
export function unfoldHeader(header: string): string {
  return header.replaceAll(/\r?\n(?=[ \t])/g, '');
}

/**
 * The `Message-ID` of a header block without its angle brackets; null if there is none.
 * https://www.rfc-editor.org/rfc/rfc5322#section-3.6.4
 */
export function messageIdOf(header: string): string | null {
  const value = /^message-id[ \t]*:(.*)$/im.exec(unfoldHeader(header))?.[1]?.trim() ?? '';
  const id = /<([^<>]+)>/.exec(value)?.[1]?.trim() ?? value;
  return id === '' || id.length > MAX_ID_LENGTH ? null : id;
}
