import type { Aligned, Deliverability, Finding } from './deliverability.ts';
import type { ProviderRecords } from './provider-records.ts';

/**
 * Explains whether SPF and DKIM pass for the sender's own domain, as DMARC requires (RFC 7489 §3.1). Our envelope
 * address is the sender's, unless the provider replaces it.
 */
export function explainAlignment(input: {
  domain: string;
  spf: Finding;
  dkim: Finding;
  provider: ProviderRecords | null;
}): Deliverability['alignment'] {
  const { domain, spf, dkim, provider } = input;
  const envelope = provider?.envelope ?? null;
  const ofSpf: Aligned = envelope === null ? alignedBy(spf) : 'not_aligned';
  const ofDkim = alignedBy(dkim);
  return { spf: ofSpf, dkim: ofDkim, explanation: sentence() };

  function sentence(): string {
    const bySpf =
      envelope === null
        ? null
        : `${provider?.name} sends with an envelope address of ${envelope}, so SPF passes for that domain and not for ${domain}, unless you set up a return path of your own there.`;
    const parts = bySpf === null ? [] : [bySpf];
    if (ofSpf === 'aligned' && ofDkim === 'aligned')
      parts.push(`SPF and DKIM pass for ${domain} itself, and DMARC needs one of them.`);
    else if (ofDkim === 'aligned')
      parts.push(`DKIM passes for ${domain} itself, which is enough for DMARC.`);
    else if (ofSpf === 'aligned')
      parts.push(
        `SPF passes for ${domain} itself, which is enough for DMARC until a message is forwarded: then only DKIM still counts.`,
      );
    else if (ofSpf === 'unknown' || ofDkim === 'unknown')
      parts.push(
        `DMARC needs SPF or DKIM to pass for ${domain} itself. DNS does not tell whether DKIM does: the headers of a message that you sent to yourself do (dkim=pass header.d=${domain}).`,
      );
    else
      parts.push(
        `Neither SPF nor DKIM passes for ${domain} itself, so DMARC fails: publish what is missing above.`,
      );
    return parts.join(' ');
  }
}

function alignedBy({ state }: Finding): Aligned {
  switch (state) {
    case 'pass':
    case 'provider':
      return 'aligned';
    case 'warn':
    case 'fail':
      return 'not_aligned';
    case 'unknown':
      return 'unknown';
  }
}
