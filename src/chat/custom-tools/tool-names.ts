/** What models take as the name of a function. */
const MAX_NAME_CHARACTERS = 64;
const MAX_OWNER_CHARACTERS = 24;
/** Servers and documents give names of any length; the time of the patterns below is the square of it. */
const MAX_READ_CHARACTERS = 1_000;

/** Of the tools that are built in, in lower case; a custom one must not pass itself off as one of them. */
const RESERVED = [
  'internal_search',
  'web_search',
  'open_url',
  'generate_image',
  'python',
  'run_python',
  'generate_plan',
  'generate_report',
  'research_agent',
  'think_tool',
  'clarify',
  'searchtool',
  'websearchtool',
  'openurltool',
  'imagegenerationtool',
  'pythontool',
];

/** Gives each tool a name of its own; names that differ in case alone are the same. */
export class NameGiver {
  readonly #taken = new Set(RESERVED);

  /** The first wish that is free, made safe; else the last one with a number. */
  give(...wishes: readonly [string, ...string[]]): string {
    const names = wishes.map(safeName);
    const free = names.find((name) => !this.#taken.has(name.toLowerCase()));
    const name = free ?? this.#numbered(names.at(-1) ?? '');
    this.#taken.add(name.toLowerCase());
    return name;
  }

  /** Somebody has this name already. */
  take(name: string): void {
    this.#taken.add(name.toLowerCase());
  }

  #numbered(name: string): string {
    for (let number = 2; ; number += 1) {
      const numbered = `${name.slice(0, MAX_NAME_CHARACTERS - 6)}_${number}`;
      if (!this.#taken.has(numbered.toLowerCase())) return numbered;
    }
  }
}

/** What belongs to `owner`, such as an MCP server, under a name that tells so. */
export function ownedName(owner: string, name: string): string {
  return `${safeName(owner).slice(0, MAX_OWNER_CHARACTERS)}_${safeName(name)}`;
}

/** Letters, digits, `_` and `-`, 64 at most. */
function safeName(text: string): string {
  const safe = text
    .slice(0, MAX_READ_CHARACTERS)
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, MAX_NAME_CHARACTERS);
  return safe === '' ? 'tool' : safe;
}
