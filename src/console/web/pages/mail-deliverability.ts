import { badge, label } from '#src/console/web/parts/badge.ts';
import { command } from '#src/console/web/parts/copy.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { section } from '#src/console/web/parts/page.ts';
import { time } from '#src/console/web/parts/time.ts';
import type { Account } from './mail.ts';

type Deliverability = NonNullable<Account['deliverability']>;
type Finding = Deliverability['spf'];

/** Whether receivers can tell that mail is the sender's own, and what to publish so that they can. */
export function deliverabilitySection({ deliverability }: Account): Part {
  return section({
    title: 'Deliverability',
    content:
      deliverability === null
        ? html`<p class="muted">SPF, DKIM and DMARC are looked up when the account is verified.</p>`
        : findings(deliverability),
  });
}

function findings({ spf, dkim, dmarc, alignment, checked_at: at }: Deliverability): Parts {
  return html`<div class="stack">
    ${finding('SPF', spf)} ${finding('DKIM', dkim)} ${finding('DMARC', dmarc)}
    <p>${alignment.explanation}</p>
    <p class="muted">As of ${time(at)}. Verify the account again after a change of DNS.</p>
  </div>`;
}

function finding(name: string, { state, advice, record, publish }: Finding): Part {
  return html`<div>
    <h3>${name} ${stateBadge(state)}</h3>
    ${advice.map((sentence) => html`<p>${sentence}</p>`)}
    ${
      record !== null &&
      html`<p class="muted">Published now</p>
        <pre>${record}</pre>`
    }
    ${
      publish !== null &&
      html`<p class="muted">${publish.type} record to publish at ${publish.name}</p>
        ${command(publish.value)}`
    }
  </div>`;
}

function stateBadge(state: Finding['state']): Part {
  switch (state) {
    case 'pass':
      return label({ tone: 'green', icon: 'check', word: 'in order' });
    case 'warn':
      return label({ tone: 'amber', icon: 'warning', word: 'could be better' });
    case 'fail':
      return label({ tone: 'red', icon: 'cross', word: 'missing' });
    case 'provider':
      return label({ tone: 'grey', icon: 'dot', word: 'done by the provider' });
    case 'unknown':
      return badge(state);
  }
}
