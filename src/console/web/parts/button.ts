import { useState } from 'preact/hooks';
import { html, type Part, type Parts } from './html.ts';
import { icon, type IconName } from './icon.ts';
import { say } from './toast.ts';
import { toProblem } from '#src/console/web/data/problem.ts';

interface ButtonFacts {
  text: Parts;
  icon?: IconName;
  look?: '' | 'primary' | 'danger' | 'plain' | 'danger primary' | 'tiny' | 'danger tiny';
  /** Why it cannot be pressed: shown on hover and read out. */
  whyNot?: string | null;
  run: () => unknown;
}

/** Does something. While it does, it cannot be pressed again; a failure is told. */
export function button(given: ButtonFacts): Part {
  return html`<${Button} ...${given} />`;
}

function Button({ text, icon: name, look = '', whyNot = null, run }: ButtonFacts): Part {
  const [isBusy, setBusy] = useState(false);
  const press = async (): Promise<void> => {
    if (isBusy || whyNot !== null) return;
    setBusy(true);
    try {
      await run();
    } catch (error) {
      say(toProblem(error).message, 'red');
    } finally {
      setBusy(false);
    }
  };
  return html`<button
    type="button"
    class="button ${look}"
    aria-disabled=${isBusy || whyNot !== null ? 'true' : null}
    title=${whyNot ?? undefined}
    onClick=${press}
  >
    ${name && icon(name)}${text}
  </button>`;
}

/** A link that looks like a button. */
export function linkButton(text: Parts, href: string, look: string = ''): Part {
  return html`<a class="button ${look}" href=${href}>${text}</a>`;
}
