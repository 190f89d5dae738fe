import { useState } from 'preact/hooks';
import { html, type Part } from './html.ts';
import { icon } from './icon.ts';
import { say } from './toast.ts';

const SHOWN_MS = 2_000;

/** A small button that copies `text`. `what` names it for screen readers. */
function copyButton(text: string, what: string): Part {
  return html`<${CopyButton} text=${text} what=${what} />`;
}

function CopyButton({ text, what }: { text: string; what: string }): Part {
  const [copied, setCopied] = useState(false);
  const copy = async (event: Event): Promise<void> => {
    event.preventDefault();
    event.stopPropagation();
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), SHOWN_MS);
    } catch {
      // Without https there is no clipboard.
      say(
        `This browser does not let the page copy. Select the ${what} and copy it by hand.`,
        'red',
      );
    }
  };
  return html`<button
    type="button"
    class="button plain icon tiny"
    aria-label=${copied ? `Copied the ${what}` : `Copy the ${what}`}
    title="Copy"
    onClick=${copy}
  >
    ${icon(copied ? 'check' : 'copy')}
  </button>`;
}

/** An id, shortened, with the whole one on hover and a button that copies it. */
export function shortId(id: string | number, what: string = 'id'): Part {
  const text = String(id);
  const shown = text.length > 16 ? `${text.slice(0, 8)}…${text.slice(-4)}` : text;
  return html`<span class="id"><code title=${text}>${shown}</code>${copyButton(text, what)}</span>`;
}

/** A secret at the one time when it is shown. */
export function secret(text: string, what: string): Part {
  return html`<div class="secret"><code>${text}</code>${copyButton(text, what)}</div>`;
}

/** A command to run, with a button that copies it. */
export function command(text: string): Part {
  return html`<pre class="command">${text}${copyButton(text, 'command')}</pre>`;
}
