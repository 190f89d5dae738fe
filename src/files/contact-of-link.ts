/** Longer values are neither an address (RFC 5321 §4.5.3.1) nor a phone number. */
const MAX_CONTACT_LENGTH = 254;

/** The address or number of a contact link ("Write to us"), unless its text already shows it. Empty for other links. */
export function contactOfLink(href: string, words: string): string {
  const [, encoded = ''] = /^\s*(?:mailto|tel):([^?#]+)/i.exec(href) ?? [];
  const contact = decoded(encoded).trim();
  const isPlain = /^[^\s<>()[\]]+(?: [^\s<>()[\]]+)*$/.test(contact);
  if (!isPlain || contact.length > MAX_CONTACT_LENGTH) return '';
  const letters = (text: string): string => text.toLowerCase().replace(/[\s().+-]/g, '');
  return letters(words).includes(letters(contact)) ? '' : ` (${contact})`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
