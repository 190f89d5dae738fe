import { call, type Reply } from '#src/console/web/data/call.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { button } from '#src/console/web/parts/button.ts';
import { command, secret } from '#src/console/web/parts/copy.ts';
import { closeDialog, confirm, openDialog } from '#src/console/web/parts/dialog.ts';
import { form, type Values } from '#src/console/web/parts/form.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { plural } from '#src/console/web/parts/number.ts';
import { empty, known, notice, page } from '#src/console/web/parts/page.ts';
import { table, twoLines } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';
import { say } from '#src/console/web/parts/toast.ts';
import { ROLES, toRole } from './roles.ts';

type ApiKey = Reply<'GET /account/api-keys'>['api_keys'][number];

const reload = (): Promise<void> => refresh('GET /account/api-keys');

/** Where is my key? */
export function Keys(): Part {
  const keys = useResource('GET /account/api-keys');
  return page({
    title: 'API keys',
    about: 'A key lets a program act in this workspace. Treat it like a password.',
    actions: button({ text: 'New key', icon: 'plus', look: 'primary', run: askForKey }),
    content: known(
      keys,
      ({ api_keys: rows, total }) =>
        rows.length === 0
          ? empty(
              'Keys of programs will be listed here.',
              button({ text: 'Make a key', run: askForKey }),
            )
          : table({
              caption: 'API keys',
              rows,
              keyOf: ({ id }) => id,
              columns: [
                {
                  name: 'Name',
                  role: 'main',
                  show: ({ name, prefix, last_four }) =>
                    twoLines(html`<span>${name}</span>`, html`<code>${prefix}…${last_four}</code>`),
                },
                { name: 'Role', show: ({ role }) => html`<span class="tag">${role}</span>` },
                {
                  name: 'Last used',
                  label: 'used',
                  show: (key) => time(key.last_used_at, 'never'),
                },
                { name: 'Made', label: 'made', role: 'wide', show: (key) => time(key.created_at) },
                { name: 'Expires', label: 'expires', show: (key) => time(key.expires_at, 'never') },
                {
                  name: '',
                  role: 'state',
                  show: (key) =>
                    button({ text: 'Revoke', look: 'tiny', run: () => askToRevoke(key) }),
                },
              ],
              foot: plural(total, 'key'),
            }),
      reload,
    ),
  });
}

function askForKey(): void {
  openDialog({
    title: 'New API key',
    content: () =>
      form({
        action: 'Make the key',
        cancel: closeDialog,
        fields: [
          {
            name: 'name',
            label: 'Name',
            kind: 'text',
            isRequired: true,
            maxLength: 200,
            help: 'Which program uses it, for example “nightly import”.',
          },
          {
            name: 'role',
            label: 'Role',
            kind: 'choice',
            isRequired: true,
            value: 'ingest',
            options: ROLES.map(({ value, text, help }) => ({ value, text: `${text}: ${help}` })),
          },
          {
            name: 'expires_in_days',
            label: 'Expires after days',
            kind: 'number',
            min: 1,
            max: 3650,
            help: 'Empty: never.',
          },
        ],
        submit: makeKey,
      }),
  });
}

async function makeKey({ name, role, expires_in_days: days }: Values): Promise<void> {
  const body = {
    name: String(name),
    role: toRole(role),
    expires_in_days: typeof days === 'number' ? days : null,
  };
  const made = await call('POST /account/api-keys', { body });
  void reload();
  openDialog({
    title: `The key “${made.name}”`,
    isWide: true,
    content: () =>
      html`<div class="stack">
        ${notice('amber', 'Copy it now: it is shown this once, and is stored only as a fingerprint.')}
        ${secret(made.key, 'key')}
        <p>A first request:</p>
        ${command(firstRequest(made.role))}
        <div class="actions">${button({ text: 'Done', look: 'primary', run: closeDialog })}</div>
      </div>`,
  });
}

/** Without the key itself, which belongs in no shell history. */
function firstRequest(role: string): string {
  const head = `curl -s ${location.origin}`;
  const authorization = `-H "Authorization: Bearer $MILLRACE_API_KEY"`;
  if (role === 'read') return `${head}/auth/verify ${authorization}`;
  const body = `{"document": {"semantic_identifier": "Hello", "sections": [{"text": "Hello, Millrace."}]}}`;
  return `${head}/service-api/ingestion ${authorization} \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`;
}

function askToRevoke({ id, name }: ApiKey): void {
  confirm({
    title: 'Revoke a key',
    explain: html`Programs that use <strong>${name}</strong> are refused within five seconds. This
      cannot be undone.`,
    action: `Revoke “${name}”`,
    run: async () => {
      await call('DELETE /account/api-keys/{id}', { path: { id } });
      say(`The key “${name}” is revoked.`);
      void reload();
    },
  });
}
