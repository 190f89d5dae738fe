import { useLive } from '#src/console/web/data/live.ts';
import type { Reply } from '#src/console/web/data/call.ts';
import { link } from '#src/console/web/data/place.ts';
import { type Access, may } from '#src/console/web/data/session.ts';
import { put, refresh, useResource } from '#src/console/web/data/store.ts';
import { linkButton } from '#src/console/web/parts/button.ts';
import { html, type Part, type Parts } from '#src/console/web/parts/html.ts';
import { count, countText, durationText, plural } from '#src/console/web/parts/number.ts';
import { figures, known, liveMark, page, section } from '#src/console/web/parts/page.ts';
import { sparkOf, sparkOfFailures } from '#src/console/web/parts/spark.ts';
import { time } from '#src/console/web/parts/time.ts';
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
  const { documents } = found;
  const isNew = documents.indexed + pendingOf(found) + documents.failed === 0;
  return [
    isNew && firstSteps(),
    (!isNew || found.attention.length > 0) &&
      attention(found.attention, 'Nothing needs your attention.'),
    documentFigures(found),
    useFigures(found),
    found.failures_last_day.length > 0 && failuresOfDay(found),
  ];
}

function pendingOf({ documents }: Found): number {
  return documents.accepted + documents.indexing;
}

function documentFigures(found: Found): Part {
  const { documents, minutes } = found;
  const total = minutes.indexed.reduce((sum, each) => sum + each, 0);
  return figures([
    { name: 'Searchable', value: linked('/documents', documents.indexed) },
    {
      name: 'On the way',
      value: count(pendingOf(found)),
      more: waits(documents.oldest_pending_seconds),
    },
    {
      name: 'Indexed per minute',
      value: count(documents.indexed_per_minute),
      more: sparkOf(minutes.indexed, `${plural(total, 'document')} indexed in the last hour`),
    },
    {
      name: 'Failed documents',
      value: linked('/documents?status=failed', documents.failed, 'bad'),
    },
  ]);
}

function useFigures({ minutes, deliveries, ...found }: Found): Part {
  const searches = minutes.searches.reduce((sum, each) => sum + each, 0);
  return figures([
    {
      name: 'Searches per minute',
      value: count(found.searches_per_minute),
      more: sparkOf(minutes.searches, `${plural(searches, 'search', 'searches')} in the last hour`),
    },
    { name: 'Answers per minute', value: count(found.answers_per_minute) },
    {
      name: 'Webhooks delivered',
      value: count(deliveries.delivered_last_day),
      more: `in a day, ${countText(deliveries.pending)} on the way`,
    },
    {
      name: 'Webhooks given up',
      value: count(deliveries.failed_last_day),
      more: 'in a day',
    },
  ]);
}

function linked(to: string, value: number, look: string = ''): Part {
  if (value === 0 || !may('ingest')) return count(value);
  return html`<a class=${look} href=${link(to)}>${count(value)}</a>`;
}

/** What a failure of each kind is called, and where such failures are listed. */
const FAILURES: Readonly<Record<string, { one: string; many: string; needs: Access; to: string }>> =
  {
    document: {
      one: 'document could not be indexed',
      many: 'documents could not be indexed',
      needs: 'ingest',
      to: '/documents?status=failed',
    },
    run: {
      one: 'run of a connector failed',
      many: 'runs of connectors failed',
      needs: 'admin',
      to: '/connectors',
    },
    prune: {
      one: 'comparison with a source failed',
      many: 'comparisons with sources failed',
      needs: 'admin',
      to: '/connectors',
    },
    scrape: {
      one: 'search for leads failed',
      many: 'searches for leads failed',
      needs: 'read',
      to: '/leads?status=failed',
    },
    message: {
      one: 'message was not sent',
      many: 'messages were not sent',
      needs: 'read',
      to: '/mail',
    },
    delivery: {
      one: 'webhook delivery was given up',
      many: 'webhook deliveries were given up',
      needs: 'admin',
      to: '/webhooks',
    },
    file: {
      one: 'uploaded file could not be read',
      many: 'uploaded files could not be read',
      needs: 'read',
      to: '/ask',
    },
  };

function failuresOfDay({ failures_last_day: failures, failures_by_hour: hours }: Found): Part {
  const total = hours.reduce((sum, each) => sum + each, 0);
  return section({
    title: 'Failures of the last day',
    actions: sparkOfFailures(hours, `${plural(total, 'failure')} in the last 24 hours`),
    content: html`<ul class="plain-list">
      ${failures.map(
        ({ kind, count: failed, last_at: lastAt }) =>
          html`<li class="row apart" key=${kind}>
            <span>${failureText(kind, failed)}</span>
            <span class="small muted">${time(lastAt)}</span>
          </li>`,
      )}
    </ul>`,
  });
}

function failureText(kind: string, failed: number): Part {
  const words = FAILURES[kind];
  if (words === undefined) return plural(failed, kind.replaceAll('_', ' '));
  const text = plural(failed, words.one, words.many);
  return may(words.needs) ? html`<a href=${link(words.to)}>${text}</a>` : text;
}

function waits(seconds: number | null): string | null {
  return seconds === null ? null : `the oldest for ${durationText(seconds * 1_000)}`;
}

/** For a workspace with nothing in it. */
function firstSteps(): Part {
  return section({
    title: 'First steps',
    content: html`<ol class="steps">
      ${
        may('admin') &&
        html`<li>
          <strong>Make a key</strong> for the program that sends documents.
          <div>${linkButton('API keys', link('/settings/keys'))}</div>
        </li>`
      }
      ${
        may('admin') &&
        html`<li>
          <strong>Connect a source</strong>, such as a web site, a wiki or a mailbox: its documents
          come by themselves and stay fresh.
          <div>${linkButton('Connect a source', link('/connectors/new'))}</div>
        </li>`
      }
      ${
        may('ingest') &&
        html`<li>
          <strong>Add a document</strong>, here or from a program, and watch it become searchable.
          <div>${linkButton('Documents', link('/documents'))}</div>
        </li>`
      }
      <li>
        <strong>Ask</strong> about it.
        <div>${linkButton('Ask', link('/ask'))}</div>
      </li>
    </ol>`,
  });
}
