import { DOORS, FEATURES, FLOORS } from './import-table.ts';

/** The table as shown in docs/development.md. */
export function importTable(): string {
  return [
    '| Folder of `src/` | May import, beside itself and what is below all |',
    '| --- | --- |',
    ...Object.entries(FEATURES).map(([name, named]) => `| \`${name}\` | ${listed(named)} |`),
    '',
    '| Within | Floors, from the ground up |',
    '| --- | --- |',
    ...Object.entries(FLOORS).map(([name, floors]) => `| \`${name}\` | ${listed(floors)} |`),
    '',
    '| Module | Only in |',
    '| --- | --- |',
    ...DOORS.filter(({ places }) => places.length > 0).map(
      ({ modules, places }) => `| ${listed(modules.map(readable))} | ${listed(places)} |`,
    ),
  ].join('\n');
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : names.map((name) => `\`${name}\``).join(', ');
}

/** Removes the regular-expression syntax. */
function readable(module: string): string {
  return module.replace('(node:)?', 'node:').replace('(-[a-z-]+)?', '').replace('[a-z-]*', '');
}
