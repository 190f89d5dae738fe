import type { OxlintOverride } from 'oxlint';
import { DOORS, FEATURES, FLOORS } from './import-table.ts';

type Pattern = { message: string } & ({ regex: string } | { group: string[] });

/** The layers below every feature. */
const GROUND = ['tables', 'platform'];
const NO_TESTS: Pattern = { group: ['[#]test/**'], message: 'Nothing imports test code.' };
const NO_WORKERS: Pattern = {
  group: ['[#]workers/**'],
  message: 'Only src/start-millrace.ts starts workers; src never imports them.',
};

/**
 * The table as overrides of `no-restricted-imports`. An override replaces the list of the one before it, so each list
 * is complete. Patterns use .gitignore syntax: `!` re-includes; `[#]` is a literal `#`, which would otherwise start a
 * comment.
 */
export function importOverrides(): OxlintOverride[] {
  const features = Object.keys(FEATURES).flatMap(restrictFeature);
  const places = DOORS.flatMap((door) => door.places).filter((place) => !place.endsWith('/'));
  const doors = [...new Set(places)].map((place) => restrict([place], patternsOf(place)));
  return [
    restrict(['src/**'], patternsOf('src/')),
    restrict(['src/start-millrace.ts'], [closedDoors('src/'), NO_TESTS]),
    restrict(['src/ids.ts', 'src/services.ts'], [...patternsOf('src/'), ...bottomOfRoot()]),
    ...features,
    restrict(['workers/**'], patternsOf('workers/')),
    restrict(['queues/**'], patternsOf('queues/')),
    restrict(['migrations/**'], patternsOf('migrations/')),
    ...doors,
  ];
}

function restrict(files: string[], patterns: Pattern[]): OxlintOverride {
  return { files, rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

/** The imports forbidden in a file or folder. */
function patternsOf(place: string): Pattern[] {
  if (place.startsWith('queues/')) return [queuesOnly(place)];
  const doors = closedDoors(place);
  if (place.startsWith('migrations/')) return [doors, noCode()];
  if (place.startsWith('workers/')) return [doors, noFrontDoors(), NO_TESTS];
  const [, feature = '', ...rest] = place.split('/');
  if (!(feature in FEATURES)) return [doors, NO_WORKERS, NO_TESTS];
  if (feature === 'client') return [onlyFor('client', ['./**', 'zod', 'node:fs'])];
  const floor = floorOf(feature, rest.slice(0, -1).join('/'));
  return [doors, floorOnly(feature, floor), SAME_FOLDER, NO_WORKERS, NO_TESTS];
}

/** A folder without a floor may import nothing from `src`. */
function restrictFeature(feature: string): OxlintOverride[] {
  const floors = FLOORS[feature] ?? ['.'];
  // More specific overrides come later, because the last one wins.
  const ordered = floors.toSorted((a, b) => exactness(a) - exactness(b));
  return [
    restrict([`src/${feature}/**`], patternsOf(`src/${feature}/-/`)),
    ...ordered.map((floor) =>
      restrict([`src/${filesOf(feature, floor)}`], patternsOf(`src/${feature}/${floor}/`)),
    ),
  ];
}

function exactness(floor: string): number {
  return floor.includes('*') ? 0 : 1;
}

function floorOf(feature: string, folder: string): string | null {
  const floors = FLOORS[feature] ?? ['.'];
  const named = folder === '' ? '.' : folder;
  if (floors.includes(named)) return named;
  const star = named.replace(/[^/]+$/, '*');
  return floors.includes(star) ? star : null;
}

/** The files of a floor, as a glob below `src`. */
function filesOf(feature: string, floor: string): string {
  if (floor === '.') return FLOORS[feature] ? `${feature}/*.ts` : `${feature}/**`;
  const holdsFloors = FLOORS[feature]?.some((other) => other.startsWith(`${floor}/`)) ?? false;
  return `${feature}/${floor}/${holdsFloors ? '*.ts' : '**'}`;
}

const SAME_FOLDER: Pattern = {
  group: ['./*/**'],
  message: 'Name a file of another folder from the top: #src/…',
};

function floorOnly(feature: string, floor: string | null): Pattern {
  if (floor === null) {
    return {
      group: ['[#]src/**'],
      message: `Put this folder on a floor of ${feature} first: FLOORS in lint/import-table.ts.`,
    };
  }
  const floors = FLOORS[feature] ?? ['.'];
  const below = floors.slice(0, floors.indexOf(floor));
  const ground = GROUND.slice(0, GROUND.includes(feature) ? GROUND.indexOf(feature) : undefined);
  const named = [...ground, ...(FEATURES[feature] ?? [])];
  const allowed = [
    'ids.ts',
    ...named.map((name) => (name.endsWith('.ts') ? name : `${name}/**`)),
    ...below.map((lower) => filesOf(feature, lower)),
  ];
  const here = floor === '.' ? `src/${feature}` : `src/${feature}/${floor}`;
  const shown = [...named, ...below.map((lower) => `${feature}/${lower}`)].join(', ');
  return {
    group: ['[#]src/**', ...allowed.map((path) => `![#]src/${path}`)],
    message: `${here} may import ids.ts, queues${shown && `, ${shown}`}; anything else comes as an argument (lint/import-table.ts).`,
  };
}

function onlyFor(feature: string, modules: string[]): Pattern {
  const named = FEATURES[feature] ?? [];
  return {
    group: ['**', ...modules.map((name) => `!${name}`), ...named.map((path) => `![#]src/${path}`)],
    message: `src/${feature} is meant for other programs, so it may import only ${[...modules, ...named].join(', ')}.`,
  };
}

function queuesOnly(place: string): Pattern {
  const producer = [
    'bullmq',
    'node:*',
    '[#]src/platform/queue-backend.ts',
    '[#]src/platform/tracing.ts',
  ];
  const allowed = ['./**', 'zod', '[#]src/ids.ts', '[#]queues/**'];
  if (place === 'queues/producer.ts') allowed.push(...producer);
  return {
    group: ['**', ...allowed.map((name) => `!${name}`)],
    message:
      'queues define work as pure data: they may import zod, #src/ids.ts and other queues. queues/producer.ts may also import bullmq, node, the queue backend and tracing.',
  };
}

function closedDoors(place: string): Pattern {
  const isOpen = (open: string): boolean =>
    open.endsWith('/') ? place.startsWith(open) : place === open;
  const closed = DOORS.filter(({ places }) => !places.some(isOpen)).flatMap((door) => door.modules);
  if (place.startsWith('src/api/')) closed.push('kysely');
  return {
    regex: `^(${closed.join('|')})(/|$)`,
    message:
      'One door per external dependency: only the file that owns this module may import it. Take what you need as an argument.',
  };
}

function noFrontDoors(): Pattern {
  const parts = ['api/**', 'cli/**', 'client/**', 'console/**', 'api.ts', 'main.ts', 'migrate.ts'];
  return {
    group: parts.map((part) => `[#]src/${part}`),
    message: 'workers may import the verbs of features, queues and platform.',
  };
}

function noCode(): Pattern {
  return {
    group: ['[#]*', '[#]*/**'],
    message: 'A migration is history: it must not change when the code does.',
  };
}

/** `ids.ts` is imported from everywhere and `services.ts` from the API, so they may only import the layers below. */
function bottomOfRoot(): Pattern[] {
  const above = ['api', 'cli', 'client', 'console'];
  return [
    {
      group: ['./*.ts', ...above.flatMap((part) => [`./${part}/**`, `[#]src/${part}/**`])],
      message:
        'src/services.ts joins the services of the features, and must not import anything that starts them.',
    },
  ];
}
