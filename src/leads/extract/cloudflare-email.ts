import { contactCard, type ContactCard } from './contact-card.ts';
import { normalizeEmail } from './normalize-email.ts';
import type { PageSource } from './page-source.ts';
import { sourceOffsets } from './source-offset.ts';
import { elementsOf } from './visible-page-text.ts';

const HEX = /^(?:[0-9a-f]{2}){5,300}$/i;
const LINK = /\/cdn-cgi\/l\/email-protection#([0-9a-f]+)/i;

/** Addresses encoded by Cloudflare's e-mail protection: `data-cfemail` and links to its decoder. */
export function readCloudflareEmails(source: PageSource): ContactCard[] {
  const cards: ContactCard[] = [];
  const seen = new Set<string>();
  const offsetOf = sourceOffsets(source.html);
  for (const { attribs } of elementsOf(source.page)) {
    for (const encoded of [attribs['data-cfemail'], LINK.exec(attribs['href'] ?? '')?.[1]]) {
      const email = decodeCloudflareEmail(encoded ?? '');
      if (email === null || seen.has(email)) continue;
      seen.add(email);
      cards.push(
        contactCard({
          technique: 'cloudflare',
          kind: 'page',
          emails: [email],
          offset: offsetOf(encoded ?? ''),
        }),
      );
    }
  }
  return cards;
}

/** The first byte is XORed with all following bytes; the result is UTF-8. */
function decodeCloudflareEmail(encoded: string): string | null {
  const hex = encoded.trim();
  if (!HEX.test(hex)) return null;
  const [key = 0, ...bytes] = Buffer.from(hex, 'hex');
  return normalizeEmail(Buffer.from(bytes.map((byte) => byte ^ key)).toString('utf8'));
}
