import type { Reply } from '#src/console/web/data/call.ts';
import { link } from '#src/console/web/data/place.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { count, plural } from '#src/console/web/parts/number.ts';
import { outsideLink } from '#src/console/web/parts/outside-link.ts';
import { section } from '#src/console/web/parts/page.ts';
import { table, twoLines } from '#src/console/web/parts/table.ts';
import { time } from '#src/console/web/parts/time.ts';
import { numberPager } from './connector-runs.ts';

type Failures = Reply<'GET /manage/admin/cc-pair/{id}/errors'>;
type Failure = Failures['items'][number];

/** What failed and has not succeeded since, with the reason. Nothing is shown when nothing failed. */
export function failureSection(
  { items, total_items: total }: Failures,
  at: number,
  size: number,
): Part {
  if (total === 0) return null;
  return section({
    title: 'What failed',
    isFlush: true,
    content: table({
      caption: 'What failed',
      rows: items,
      keyOf: ({ id }) => id,
      columns: [
        {
          name: 'Document',
          role: 'main',
          show: (one) => twoLines(nameOf(one), one.failure_message, { matters: true }),
        },
        {
          name: 'Where',
          role: 'wide',
          show: ({ stage }) => (stage === 'fetch' ? 'at the source' : 'in the index'),
        },
        { name: 'Tries', isNumber: true, label: 'tries', show: ({ tries }) => count(tries) },
        { name: 'Since', label: 'since', show: ({ time_created }) => time(time_created) },
      ],
      foot: numberPager({
        name: 'failures',
        what: `${plural(total, 'failure')}, tried again in the next run`,
        at,
        size,
        total,
      }),
    }),
  });
}

function nameOf({
  document_id: id,
  document_link: address,
  entity_id: thing,
  stage,
}: Failure): Parts {
  if (id === null) return html`<span>${thing ?? 'a part of the source'}</span>`;
  if (stage === 'index')
    return html`<a href=${link(`/documents/${encodeURIComponent(id)}`)}>${id}</a>`;
  return address === null ? html`<span>${id}</span>` : outsideLink(address, id);
}
