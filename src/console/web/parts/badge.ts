import { html, type Part } from './html.ts';
import { icon, type IconName } from './icon.ts';

export type Tone = 'green' | 'blue' | 'amber' | 'red' | 'grey';

interface Look {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly word: string;
}

const LOOKS: Readonly<Record<string, Look>> = {
  // documents
  accepted: { tone: 'blue', icon: 'wait', word: 'waiting' },
  indexing: { tone: 'blue', icon: 'half', word: 'indexing' },
  indexed: { tone: 'green', icon: 'check', word: 'searchable' },
  deleting: { tone: 'grey', icon: 'bin', word: 'deleting' },
  // webhooks
  healthy: { tone: 'green', icon: 'check', word: 'healthy' },
  failing: { tone: 'amber', icon: 'warning', word: 'failing' },
  open: { tone: 'red', icon: 'cross', word: 'not answering' },
  disabled: { tone: 'grey', icon: 'pause', word: 'disabled' },
  pending: { tone: 'blue', icon: 'wait', word: 'waiting' },
  delivering: { tone: 'blue', icon: 'half', word: 'sending' },
  delivered: { tone: 'green', icon: 'check', word: 'delivered' },
  waiting: { tone: 'amber', icon: 'retry', word: 'will be tried again' },
  exhausted: { tone: 'red', icon: 'cross', word: 'given up' },
  interrupted: { tone: 'amber', icon: 'warning', word: 'interrupted' },
  // runs, scrapes and messages
  not_started: { tone: 'blue', icon: 'wait', word: 'waiting' },
  queued: { tone: 'blue', icon: 'wait', word: 'waiting' },
  running: { tone: 'blue', icon: 'half', word: 'running' },
  in_progress: { tone: 'blue', icon: 'half', word: 'running' },
  sending: { tone: 'blue', icon: 'half', word: 'sending' },
  done: { tone: 'green', icon: 'check', word: 'done' },
  sent: { tone: 'green', icon: 'check', word: 'sent' },
  success: { tone: 'green', icon: 'check', word: 'succeeded' },
  completed: { tone: 'green', icon: 'check', word: 'completed' },
  completed_with_errors: { tone: 'amber', icon: 'warning', word: 'with errors' },
  needs_confirmation: { tone: 'amber', icon: 'warning', word: 'needs confirmation' },
  partial: { tone: 'amber', icon: 'warning', word: 'in part' },
  failed: { tone: 'red', icon: 'cross', word: 'failed' },
  canceled: { tone: 'grey', icon: 'cross', word: 'canceled' },
  unknown: { tone: 'amber', icon: 'warning', word: 'unknown' },
  bounced: { tone: 'red', icon: 'cross', word: 'came back' },
  complained: { tone: 'red', icon: 'warning', word: 'complained' },
  // connectors
  SCHEDULED: { tone: 'blue', icon: 'wait', word: 'scheduled' },
  INITIAL_INDEXING: { tone: 'blue', icon: 'half', word: 'first run' },
  ACTIVE: { tone: 'green', icon: 'check', word: 'active' },
  PAUSED: { tone: 'grey', icon: 'pause', word: 'paused' },
  DELETING: { tone: 'grey', icon: 'bin', word: 'deleting' },
  INVALID: { tone: 'red', icon: 'warning', word: 'needs attention' },
};

/** A state as icon and word; the colour only repeats them. */
export function badge(state: string): Part {
  return label(LOOKS[state] ?? { tone: 'grey', icon: 'dot', word: state.replaceAll('_', ' ') });
}

export function label({ tone, icon: name, word }: Look): Part {
  return html`<span class="badge ${tone}">${icon(name)}${word}</span>`;
}
