import { query } from '#src/console/web/data/place.ts';
import { useResource } from '#src/console/web/data/store.ts';
import { choiceFilter, filterBar, textFilter } from '#src/console/web/parts/filter.ts';
import { html, type Part } from '#src/console/web/parts/html.ts';
import { countText } from '#src/console/web/parts/number.ts';

const STATUSES = ['accepted', 'indexing', 'indexed', 'failed', 'deleting'] as const;
const STATUS_OPTIONS = [
  { value: 'accepted', text: 'waiting' },
  { value: 'indexing', text: 'indexing' },
  { value: 'indexed', text: 'searchable' },
  { value: 'failed', text: 'failed' },
  { value: 'deleting', text: 'deleting' },
];

/** What takes all filters out of the address. */
export const NO_FILTERS = {
  status: null,
  source: null,
  connector: null,
  set: null,
  q: null,
  cursor: null,
} as const;

/** The filters of the address, as the service takes them. */
export function chosenFilter() {
  const given = query.value;
  const status = STATUSES.find((name) => name === given.get('status'));
  const connector = Number(given.get('connector'));
  const [source, set, q] = ['source', 'set', 'q'].map((name) => given.get(name));
  return {
    ...(status && { status }),
    ...(source && { source }),
    ...(Number.isSafeInteger(connector) && connector > 0 && { cc_pair_id: connector }),
    ...(set && { document_set: set }),
    ...(q && { q }),
  };
}

export function isNarrowed(): boolean {
  return Object.keys(chosenFilter()).length > 0;
}

export function documentFilters(): Part {
  return html`<${Filters} />`;
}

/** Those that have something to choose. */
function Filters(): Part {
  const { data } = useResource('GET /documents/filters');
  const { sources = [], connectors = [], document_sets: sets = [] } = data ?? {};
  return filterBar([
    textFilter({ name: 'q', label: 'Title or id' }),
    choiceFilter({ name: 'status', label: 'State', options: STATUS_OPTIONS }),
    (sources.length > 1 || query.value.has('source')) &&
      choiceFilter({
        name: 'source',
        label: 'Source',
        options: sources.map(({ source, documents }) => ({
          value: source,
          text: `${source} (${countText(documents)})`,
        })),
      }),
    (connectors.length > 0 || query.value.has('connector')) &&
      choiceFilter({
        name: 'connector',
        label: 'Connector',
        options: connectors.map(({ cc_pair_id: id, name }) => ({ value: String(id), text: name })),
      }),
    (sets.length > 0 || query.value.has('set')) &&
      choiceFilter({
        name: 'set',
        label: 'Document set',
        options: sets.map((name) => ({ value: name, text: name })),
      }),
  ]);
}
