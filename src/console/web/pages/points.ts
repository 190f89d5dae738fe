import type { Reply } from '#src/console/web/data/call.ts';
import { refresh, useResource } from '#src/console/web/data/store.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { count, countText } from '#src/console/web/parts/number.ts';
import { empty, figures, known, page, section } from '#src/console/web/parts/page.ts';
import { table } from '#src/console/web/parts/table.ts';
import { streakText } from './streak-text.ts';

type Status = Reply<'GET /gamification/status'>;
type Actions = Reply<'GET /gamification/actions'>;

const reload = (): Promise<void> =>
  refresh('GET /gamification/status', 'GET /gamification/actions');

/** How am I doing? */
export function Points(): Part {
  const status = useResource('GET /gamification/status');
  const actions = useResource('GET /gamification/actions');
  return page({
    title: 'Points',
    about: 'They come by themselves, for what you do.',
    content: [
      known(status, standing, reload),
      section({
        title: 'What counts',
        isFlush: true,
        content: known(actions, actionTable, reload),
      }),
    ],
  });
}

function standing(status: Status): Parts {
  const percent = Math.round(status.progress_to_next * 100);
  return [
    html`<p>${streakText(status)}</p>`,
    figures([
      { name: 'Points', value: count(status.points) },
      { name: 'Streak', value: count(status.current_streak) },
      { name: 'Longest streak', value: count(status.longest_streak) },
      {
        name: 'Next',
        value: status.next_milestone.replaceAll('_', ' ') || '–',
        isWords: true,
        more: `${percent} % of the way`,
      },
    ]),
    section({
      title: 'Achievements',
      content:
        status.achievements_unlocked.length === 0
          ? empty('Achievements will be shown here. The first comes soon.')
          : html`<div class="row">
              ${status.achievements_unlocked.map((name) => html`<span class="tag" key=${name}>${name.replaceAll('_', ' ')}</span>`)}
            </div>`,
    }),
  ];
}

function impactText(impact: number): string {
  return `a day with it counts ${countText(impact)}`;
}

function actionTable({ actions }: Actions): Part {
  return table({
    caption: 'Actions',
    rows: actions,
    keyOf: ({ action_type }) => action_type,
    columns: [
      { name: 'Action', role: 'main', show: ({ action_type: type }) => html`<span>${type}</span>` },
      {
        name: 'Points',
        role: 'state',
        isNumber: true,
        show: ({ points }) => html`<span class="number">${countText(points)} points</span>`,
      },
      {
        name: 'Streak',
        show: ({ streak_impact: impact }) => impactText(impact),
      },
      {
        name: 'Today',
        isNumber: true,
        label: 'today',
        show: (one) => `${countText(one.awarded_today)} of ${countText(one.daily_cap)}`,
      },
    ],
  });
}
