import { call } from '#src/console/web/data/call.ts';
import { refresh } from '#src/console/web/data/store.ts';
import { closeDialog, openDialog } from '#src/console/web/parts/dialog.ts';
import { form, type Field, type Values } from '#src/console/web/parts/form.ts';
import { plural } from '#src/console/web/parts/number.ts';
import { say } from '#src/console/web/parts/toast.ts';
import type { Added } from './documents-added.ts';

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
  return [stored(name, reply)];
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
      ? stored(result.file_name, result)
      : {
          name: result.file_name,
          documentId: null,
          isUpdate: false,
          status: 'failed',
          reason: result.detail,
        },
  );
}

function stored(
  name: string,
  { document_id, already_existed }: { document_id: string; already_existed: boolean },
): Added {
  return {
    name,
    documentId: document_id,
    isUpdate: already_existed,
    status: 'accepted',
    reason: null,
  };
}
