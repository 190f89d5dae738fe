import { useLive } from '#src/console/web/data/live.ts';
import type { Reply } from '#src/console/web/data/call.ts';
import { link } from '#src/console/web/data/place.ts';
import { roleOf, session } from '#src/console/web/data/session.ts';
import { put, refresh, useResource } from '#src/console/web/data/store.ts';
import { linkButton } from '#src/console/web/parts/button.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { count, durationText, plural } from '#src/console/web/parts/number.ts';
import { figures, known, liveMark, page, section } from '#src/console/web/parts/page.ts';
import { attention } from './attention.ts';

type Found = Reply<'GET /overview'>;

/** Is everything fresh, and if not, why? */
export function Overview(): Part {
  const overview = useResource('GET /overview');
  useLive({ overview: (data) => put('GET /overview', {}, data as Found) }, () =>
    refresh('GET /overview'),
  );
  return page({
    title: 'Overview',
    actions: liveMark(),
    content: known(overview, show, () => refresh('GET /overview')),
  });
}

function show(found: Found): Parts {
  const { documents, deliveries } = found;
  const pending = documents.accepted + documents.indexing;
  const isNew = documents.indexed + pending + documents.failed === 0;
  return [
    isNew ? firstSteps() : attention(found.attention, 'Nothing needs your attention.'),
    figures([
      {
        name: 'Searchable documents',
        value: html`<a href=${link('/documents')}>${count(documents.indexed)}</a>`,
      },
      {
        name: 'On the way',
        value: count(pending),
        more: waits(documents.oldest_pending_seconds),
      },
      { name: 'Indexed per minute', value: count(documents.indexed_per_minute) },
      { name: 'Failed documents', value: failed(documents.failed) },
      { name: 'Searches per minute', value: count(found.searches_per_minute) },
      { name: 'Answers per minute', value: count(found.answers_per_minute) },
      {
        name: 'Webhooks in a day',
        value: count(deliveries.delivered_last_day),
        more: `${deliveries.pending} on the way`,
      },
      { name: 'Webhooks given up', value: count(deliveries.failed_last_day) },
    ]),
    found.failures_last_day.length > 0 &&
      section({
        title: 'Failures of the last day',
        content: html`<ul class="plain-list">
          ${found.failures_last_day.map(
            ({ kind, count: failures }) =>
              html`<li key=${kind}>${plural(failures, kind.replaceAll('_', ' '))}</li>`,
          )}
        </ul>`,
      }),
  ];
}

function waits(seconds: number | null): string | null {
  return seconds === null ? null : `the oldest for ${durationText(seconds * 1_000)}`;
}

function failed(failures: number): Parts {
  return failures === 0
    ? count(0)
    : html`<a href=${link('/documents?status=failed')}>${count(failures)}</a>`;
}

/** For a workspace with nothing in it. */
function firstSteps(): Part {
  const isAdmin = roleOf(session.value) === 'admin';
  return section({
    title: 'First steps',
    content: html`<ol class="steps">
      ${
        isAdmin &&
        html`<li>
          <strong>Make a key</strong> for the program that sends documents.
          <div>${linkButton('API keys', link('/settings/keys'))}</div>
        </li>`
      }
      <li>
        <strong>Send a document</strong> and watch it become searchable.
        <div>${linkButton('Documents', link('/documents'))}</div>
      </li>
      <li>
        <strong>Ask</strong> about it.
        <div>${linkButton('Ask', link('/ask'))}</div>
      </li>
    </ol>`,
  });
}
