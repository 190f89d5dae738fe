import { useEffect, useRef } from 'preact/hooks';
import {
  askForAttachments,
  attach,
  type Attachment,
  attachments,
  clearAttachments,
  detach,
  isBeingRead,
  takeAttachment,
  uploading,
} from '#src/console/web/data/attachments.ts';
import { askInChat, stopAnswer } from '#src/console/web/data/chat.ts';
import { useLive } from '#src/console/web/data/live.ts';
import { filter, query } from '#src/console/web/data/place.ts';
import { toProblem } from '#src/console/web/data/problem.ts';
import { may } from '#src/console/web/data/session.ts';
import { useResource } from '#src/console/web/data/store.ts';
import { button } from '#src/console/web/parts/button.ts';
import { choiceFilter } from '#src/console/web/parts/filter.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { icon } from '#src/console/web/parts/icon.ts';
import { say } from '#src/console/web/parts/toast.ts';

/** Topics that a stream may have; further files are followed once these are read. */
const MAX_TOPICS = 10;

/** Where one asks: the question, files for it, and which documents are searched. */
export function question(isRunning: boolean): Part {
  return html`<${Question} isRunning=${isRunning} />`;
}

function Question({ isRunning }: { isRunning: boolean }): Part {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    return clearAttachments;
  }, []);
  const beingRead = attachments.value.filter(isBeingRead);
  const isReading = uploading.value.length > 0 || beingRead.length > 0;
  useLive(topicsOf(beingRead), () => askForAttachments().catch(() => undefined));
  const send = (): void => {
    if (field.current === null || isRunning || isReading) return;
    const text = field.current.value.trim();
    const files = attachments.peek().filter(({ status }) => status !== 'FAILED');
    if (text === '' && files.length === 0) return;
    field.current.value = '';
    clearAttachments();
    const asked = { text, files, documentSet: query.peek().get('set') };
    void askInChat(asked, (id) => filter({ chat: id }, { replace: true }));
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };
  return html`<form
    class="ask-form"
    onSubmit=${(event: Event) => {
      event.preventDefault();
      send();
    }}
    onDragOver=${(event: DragEvent) => event.preventDefault()}
    onDrop=${(event: DragEvent) => {
      event.preventDefault();
      void attachAll(event.dataTransfer?.files ?? null);
    }}
  >
    ${chosenFiles()}
    <label class="hidden-text" for="question">Question</label>
    <textarea
      id="question"
      ref=${field}
      class="input"
      rows="2"
      placeholder="Ask a question. Enter sends it, Shift-Enter begins a new line."
      maxlength="100000"
      onKeyDown=${keys}
      onPaste=${(event: ClipboardEvent) => void attachAll(event.clipboardData?.files ?? null)}
    ></textarea>
    ${isRunning ? button({ text: 'Stop', icon: 'stop', run: stopAnswer }) : askButton(isReading)}
    ${options()}
  </form>`;
}

function topicsOf(files: readonly Attachment[]): Record<string, (told: unknown) => void> {
  const take = (told: unknown): void => takeAttachment((told as { file: Attachment }).file);
  return Object.fromEntries(files.slice(0, MAX_TOPICS).map(({ id }) => [`user-file:${id}`, take]));
}

function askButton(isReading: boolean): Part {
  return html`<button
    type="submit"
    class="button primary"
    aria-disabled=${isReading ? 'true' : null}
    title=${isReading ? 'The files are being read.' : null}
  >
    ${icon('send')}Ask
  </button>`;
}

function options(): Part {
  return html`<div class="ask-options">
    ${may('member') && html`<${AttachButton} />`}
    <${SetFilter} />
  </div>`;
}

/** Only where there is something to choose. */
function SetFilter(): Part {
  const { data } = useResource('GET /documents/filters');
  const sets = data?.document_sets ?? [];
  if (sets.length === 0 && !query.value.has('set')) return null;
  return choiceFilter({
    name: 'set',
    label: 'Search in',
    none: 'all documents',
    options: sets.map((name) => ({ value: name, text: name })),
  });
}

function AttachButton(): Part {
  const input = useRef<HTMLInputElement>(null);
  return html`<input
      ref=${input}
      type="file"
      multiple
      hidden
      onChange=${async () => {
        await attachAll(input.current?.files ?? null);
        if (input.current !== null) input.current.value = '';
      }}
    />
    ${button({ text: 'Attach files', icon: 'clip', look: 'tiny', run: () => input.current?.click() })}`;
}

async function attachAll(files: FileList | null): Promise<void> {
  if (files === null || files.length === 0 || !may('member')) return;
  try {
    for (const reason of await attach([...files])) say(reason, 'red');
  } catch (error) {
    say(toProblem(error).message, 'red');
  }
}

function chosenFiles(): Part {
  const [ready, coming] = [attachments.value, uploading.value];
  if (ready.length + coming.length === 0) return null;
  return html`<ul class="attachments" aria-label="Attached files" aria-live="polite">
    ${ready.map((file) => chosenFile(file))}
    ${coming.map(
      (name, at) =>
        html`<li key=${`coming-${at}`}>
          ${icon('half')}<span class="cut">${name}</span><span class="small muted">is sent …</span>
        </li>`,
    )}
  </ul>`;
}

function chosenFile(file: Attachment): Part {
  const { id, name, status, error } = file;
  const isBad = status === 'FAILED';
  return html`<li key=${id} class=${isBad ? 'bad' : ''}>
    ${icon(isBad ? 'warning' : isBeingRead(file) ? 'half' : 'document')}
    <span class="cut">${name}</span>
    ${isBeingRead(file) && html`<span class="small muted">is read …</span>`}
    ${isBad && html`<span class="small">${error ?? 'It could not be read.'}</span>`}
    <button
      type="button"
      class="button plain icon tiny"
      aria-label="Leave out ${name}"
      onClick=${() => detach(id)}
    >
      ${icon('close')}
    </button>
  </li>`;
}
