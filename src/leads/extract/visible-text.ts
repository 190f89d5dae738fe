import { contactCard, type ContactCard } from './contact-card.ts';
import type { PageSource } from './page-source.ts';
import { scanEmails } from './scan-emails.ts';
import { scanPhones } from './scan-phones.ts';
import { sourceOffsets } from './source-offset.ts';
import { visiblePageText, withoutMarks } from './visible-page-text.ts';

/** Per page; a longer list is not a list of contacts. */
const MAX_EACH = 500;

/** Addresses and phone numbers that a reader of the page can see. */
export function readVisibleText(source: PageSource): ContactCard[] {
  const text = visiblePageText(source.page);
  return [...emailCards(source, text), ...phoneCards(source, withoutMarks(text))];
}

function emailCards({ html }: PageSource, text: string): ContactCard[] {
  const offsetOf = sourceOffsets(html);
  const emails = scanEmails(text)
    .filter(({ isDisguised }) => !isDisguised)
    .map(({ email }) => email);
  return [...new Set(emails)].slice(0, MAX_EACH).map((email) =>
    contactCard({
      technique: 'visible-text',
      kind: 'page',
      emails: [email],
      offset: offsetOf(email),
    }),
  );
}

function phoneCards({ html, region }: PageSource, text: string): ContactCard[] {
  const offsetOf = sourceOffsets(html);
  const cards = new Map<string, ContactCard>();
  for (const { phone, written } of scanPhones(text, region)) {
    if (cards.size >= MAX_EACH || cards.has(phone)) continue;
    const offset = offsetOf(written);
    cards.set(
      phone,
      contactCard({ technique: 'visible-text', kind: 'page', phones: [phone], offset }),
    );
  }
  return [...cards.values()];
}
