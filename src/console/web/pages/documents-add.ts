import { call } from '#src/console/web/data/call.ts';
import { useRepeat } from '#src/console/web/data/live.ts';
import { link } from '#src/console/web/data/place.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { badge } from '#src/console/web/parts/badge.ts';
import { button } from '#src/console/web/parts/button.ts';
import { closeDialog, openDialog } from '#src/console/web/parts/dialog.ts';
import { form, type Field, type Values } from '#src/console/web/parts/form.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { plural } from '#src/console/web/parts/number.ts';
import { section } from '#src/console/web/parts/page.ts';
import { say } from '#src/console/web/parts/toast.ts';

/** A document that was added here, or the reason why it was not. */
export interface Added {
  readonly name: string;
  readonly documentId: string | null;
  readonly isUpdate: boolean;
  readonly reason: string | null;
}

const EVERY_MS = 1_500;

const FIELDS: readonly Field[] = [
  {
    name: 'kind',
    label: 'What',
    kind: 'choice',
    isRequired: true,
    value: 'files',
    options: [
      { value: 'files', text: 'Files' },
      { value: 'text', text: 'Pasted text' },
    ],
  },
  {
    name: 'files',
    label: 'Files',
    kind: 'files',
    isRequired: true,
    help: 'Text, Markdown, HTML, PDF, DOCX, PPTX, XLSX, CSV, EML and EPUB. A file with the name of one that was added before replaces it.',
    when: { field: 'kind', is: 'files' },
  },
  {
    name: 'title',
    label: 'Title',
    kind: 'text',
    isRequired: true,
    maxLength: 500,
    help: 'A text with the title of one that was pasted before replaces it.',
    when: { field: 'kind', is: 'text' },
  },
  {
    name: 'text',
    label: 'Text',
    kind: 'longtext',
    isRequired: true,
    when: { field: 'kind', is: 'text' },
  },
  {
    name: 'link',
    label: 'Web address',
    kind: 'url',
    placeholder: 'https://example.com/page',
    help: 'Where the text is from; answers that cite it link there.',
    when: { field: 'kind', is: 'text' },
  },
];

/** `done` is told what became of each. */
export function askToAdd(done: (added: Added[]) => void): void {
  openDialog({
    title: 'Add documents',
    isWide: true,
    content: () =>
      form({
        action: 'Add',
        cancel: closeDialog,
        fields: FIELDS,
        submit: async (values) => {
          const added = values['kind'] === 'text' ? await addText(values) : await addFiles(values);
          closeDialog();
          done(added);
          void refresh(
            'GET /service-api/ingestion',
            'GET /service-api/ingestion/stats',
            'GET /documents/filters',
          );
        },
      }),
  });
}

async function addText({ title, text, link: where }: Values): Promise<Added[]> {
  const name = String(title);
  const document = {
    semantic_identifier: name,
    sections: [{ text: String(text), link: typeof where === 'string' ? where : null }],
    source: 'file',
  };
  const reply = await call('POST /service-api/ingestion', { body: { document } });
  say('The text is stored, and being indexed.');
  return [{ name, documentId: reply.document_id, isUpdate: reply.already_existed, reason: null }];
}

/** The service reads them, which takes a while for large ones. */
async function addFiles({ files }: Values): Promise<Added[]> {
  const data = new FormData();
  for (const file of Array.isArray(files) ? files : []) {
    if (file instanceof File) data.append('files', file, file.name);
  }
  const { results, accepted } = await call('POST /documents/files', {
    form: data,
    timeoutMs: null,
  });
  if (accepted > 0) say(`${plural(accepted, 'file is', 'files are')} stored, and being indexed.`);
  return results.map((result) =>
    'document_id' in result
      ? {
          name: result.file_name,
          documentId: result.document_id,
          isUpdate: result.already_existed,
          reason: null,
        }
      : { name: result.file_name, documentId: null, isUpdate: false, reason: result.detail },
  );
}

/** What was added here, each followed until it is searchable. */
export function addedSection(added: readonly Added[], clear: () => void): Part {
  return section({
    title: 'Just added',
    actions: button({ text: 'Close the list', look: 'tiny', run: clear }),
    content: html`<ul class="plain-list stack tight" aria-live="polite">
      ${added.map((one, index) => html`<${Row} key=${`${added.length - index} ${one.name}`} ...${one} />`)}
    </ul>`,
  });
}

function Row({ name, documentId, isUpdate, reason }: Added): Part {
  if (documentId === null) {
    return html`<li class="row apart">
      <span class="said"><strong>${name}</strong> <span class="small bad">${reason}</span></span>
      ${badge('failed')}
    </li>`;
  }
  return html`<${Followed} documentId=${documentId} name=${name} isUpdate=${isUpdate} />`;
}

function Followed(given: { documentId: string; name: string; isUpdate: boolean }): Part {
  const { documentId, name, isUpdate } = given;
  const { data, problem } = useResource('GET /service-api/ingestion/{document_id}', {
    path: { document_id: documentId },
  });
  const isOver = data?.status === 'indexed' || data?.status === 'failed';
  useRepeat(
    () => refresh('GET /service-api/ingestion/{document_id}'),
    EVERY_MS,
    !isOver && problem?.status !== 404,
  );
  const note = data?.error ?? problem?.message ?? (isUpdate ? 'replaces the one of before' : '');
  return html`<li class="row apart">
    <span class="said">
      <a href=${link(`/documents/${encodeURIComponent(documentId)}`)}>${name}</a>
      ${note && html` <span class="small muted">${note}</span>`}
    </span>
    ${badge(data?.status ?? 'accepted')}
  </li>`;
}
