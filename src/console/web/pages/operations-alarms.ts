import type { Reply } from '#src/console/web/data/call.ts';
import { useLive } from '#src/console/web/data/live.ts';
import { linkWith, link, query } from '#src/console/web/data/place.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { label } from '#src/console/web/parts/badge.ts';
import { choiceFilter } from '#src/console/web/parts/filter.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { plural } from '#src/console/web/parts/number.ts';
import { empty, known, liveMark, page } from '#src/console/web/parts/page.ts';
import { pager, table, twoLines } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';

/** What was wrong, and until when? */
export function OperationsAlarms(): Part {
  const state = query.value.get('state') === 'open' ? 'open' : 'all';
  const cursor = query.value.get('cursor');
  const alarms = useResource('GET /operations/alarms', { query: { state, cursor } });
  const reload = (): Promise<void> => refresh('GET /operations/alarms');
  useLive({ alarms: () => void reload() }, reload);
  return page({
    title: 'Alarms',
    about:
      'Raised when a queue is not served, stuck or falling behind, and sent as webhook events ops.alarm.raised and ops.alarm.cleared.',
    actions: liveMark(),
    content: [
      choiceFilter({ name: 'state', label: 'Show', options: ['open'] }),
      known(
        alarms,
        (found) =>
          found.alarms.length > 0
            ? alarmTable(found)
            : empty(
                state === 'open'
                  ? 'No alarm is open.'
                  : 'Alarms of the last 30 days will be listed here.',
              ),
        reload,
      ),
    ],
  });
}

function alarmTable({ alarms: rows, next_cursor: next }: Reply<'GET /operations/alarms'>): Part {
  return table({
    caption: 'Alarms',
    rows,
    keyOf: ({ id }) => id,
    columns: [
      {
        name: 'Alarm',
        role: 'main',
        show: ({ queue, message }) =>
          twoLines(html`<a href=${link(`/operations/${queue}`)}>${queue}</a>`, message, {
            matters: true,
          }),
      },
      {
        name: 'Kind',
        show: ({ kind }) => html`<span class="tag">${kind.replaceAll('_', ' ')}</span>`,
      },
      {
        name: 'State',
        role: 'state',
        show: ({ cleared_at }) =>
          cleared_at === null
            ? label({ tone: 'red', icon: 'warning', word: 'open' })
            : label({ tone: 'green', icon: 'check', word: 'cleared' }),
      },
      { name: 'Since', label: 'since', show: ({ since }) => time(since) },
      { name: 'Cleared', label: 'cleared', show: ({ cleared_at }) => time(cleared_at) },
    ],
    foot: foot(plural(rows.length, 'alarm'), next),
  });
}

function foot(count: string, next: string | null): Part {
  return pager({
    count,
    firstHref: query.value.has('cursor') ? linkWith({ cursor: null }) : null,
    nextHref: next && linkWith({ cursor: next }),
  });
}
