import { call } from '#src/console/web/data/call.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { label } from '#src/console/web/parts/badge.ts';
import { button } from '#src/console/web/parts/button.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { duration } from '#src/console/web/parts/number.ts';
import { known, page } from '#src/console/web/parts/page.ts';
import { table, twoLines } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';
import { say } from '#src/console/web/parts/toast.ts';

const reload = (): Promise<void> => refresh('GET /operations/schedules');

/** What runs by the clock, and when next? */
export function OperationsSchedules(): Part {
  const schedules = useResource('GET /operations/schedules');
  return page({
    title: 'Schedules',
    about:
      'Sweeps that run by themselves. A run by hand is beside the schedule, which does not move.',
    content: known(
      schedules,
      ({ schedules: rows }) =>
        table({
          caption: 'Schedules',
          rows,
          keyOf: ({ name }) => name,
          columns: [
            {
              name: 'Name',
              role: 'main',
              show: ({ name, does }) => twoLines(html`<span>${name}</span>`, does),
            },
            {
              name: 'Every',
              isNumber: true,
              label: 'every',
              show: (one) => duration(one.every_seconds * 1_000),
            },
            { name: 'Last', label: 'last', show: ({ last_at }) => time(last_at, 'never') },
            {
              name: 'Next',
              label: 'next',
              show: ({ next_at, paused }) =>
                paused
                  ? label({ tone: 'grey', icon: 'pause', word: 'paused' })
                  : time(next_at, 'unknown'),
            },
            {
              name: '',
              role: 'state',
              show: ({ name }) => button({ text: 'Run now', look: 'tiny', run: () => run(name) }),
            },
          ],
        }),
      reload,
    ),
  });
}

async function run(name: string): Promise<void> {
  const { paused } = await call('POST /operations/schedules/{name}/run', {
    path: { name },
    body: {},
  });
  say(paused ? `${name} is paused: its run waits.` : `${name} runs now.`);
  await reload();
}
