import type { Reply } from '#src/console/web/data/call.ts';
import { link, linkWith, query } from '#src/console/web/data/place.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { choiceFilter, filterBar } from '#src/console/web/parts/filter.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { plural } from '#src/console/web/parts/number.ts';
import { empty, facts, known, page } from '#src/console/web/parts/page.ts';
import { pager } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';
import { auditSentence } from './audit-sentences.ts';

type Found = Reply<'GET /operations/audit'>;
type Action = Found['actions'][number];

const reload = (): Promise<void> => refresh('GET /operations/audit');

/** Who did what? */
export function OperationsAudit(): Part {
  const cursor = query.value.get('cursor');
  const queue = query.value.get('queue');
  const person = query.value.get('user_id');
  const actions = useResource('GET /operations/audit', {
    query: { cursor, queue, user_id: person },
  });
  const people = actions.data?.actors ?? [];
  return page({
    title: 'Audit log',
    about: 'What operators did, for a year.',
    content: [
      filterBar([
        choiceFilter({ name: 'queue', label: 'Queue', options: actions.data?.queues ?? [] }),
        choiceFilter({
          name: 'user_id',
          label: 'Person',
          options: people.map(({ user_id: value, name }) => ({ value, text: name })),
        }),
      ]),
      known(actions, (found) => actionList(found, queue !== null || person !== null), reload),
    ],
  });
}

function actionList({ actions, next_cursor: next }: Found, isFiltered: boolean): Part {
  if (actions.length === 0) {
    return html`<div class="box">
      ${empty(
        isFiltered
          ? 'Nothing was done that fits.'
          : 'Pauses, retries and runs by hand will be listed here with who did them.',
      )}
    </div>`;
  }
  return html`<div class="box">
    <ul class="log">
      ${actions.map(actionLine)}
    </ul>
    <div class="table-foot">
      ${pager({
        count: plural(actions.length, 'action'),
        firstHref: query.value.has('cursor') ? linkWith({ cursor: null }) : null,
        nextHref: next && linkWith({ cursor: next }),
      })}
    </div>
  </div>`;
}

function actionLine(action: Action): Part {
  const { id, at, by, queue, detail, request_id: request } = action;
  return html`<li key=${id}>
    <div class="row apart">
      <span class="said"><strong>${by.name}</strong> ${auditSentence(action)}</span>
      <span class="small muted">${time(at)}</span>
    </div>
    <details>
      <summary class="small">Details</summary>
      ${facts([
        ['Action', html`<code>${action.action}</code>`],
        queue === null
          ? null
          : ['Queue', html`<a href=${link(`/operations/${queue}`)}>${queue}</a>`],
        [
          'By',
          by.key_id === null ? 'a session in the browser' : html`the key <code>${by.key_id}</code>`,
        ],
        request === null ? null : ['Request', html`<code>${request}</code>`],
        ['Asked for', html`<pre>${JSON.stringify(detail, null, 2)}</pre>`],
      ])}
    </details>
  </li>`;
}
