/** Function names that models accept. */
const MAX_NAME_CHARACTERS = 64;
const MAX_OWNER_CHARACTERS = 24;
/** Servers and documents give names of any length, and the patterns below take quadratic time. */
const MAX_READ_CHARACTERS = 1_000;

/** Names of built-in tools, in lower case; a custom tool must not impersonate one. */
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

/** Gives each tool a unique name; names that differ only in case count as equal. */
export class NameAllocator {
  readonly #taken = new Set(RESERVED);

  /** The first free candidate, made safe; otherwise the last one with a number. */
  allocate(...candidates: readonly [string, ...string[]]): string {
    const names = candidates.map(safeName);
    const free = names.find((name) => !this.#taken.has(name.toLowerCase()));
    const name = free ?? this.#numbered(names.at(-1) ?? '');
    this.#taken.add(name.toLowerCase());
    return name;
  }

  /** Marks a name as taken. */
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

/** The name of a tool of `owner`, such as an MCP server, with the owner as prefix. */
export function ownedName(owner: string, name: string): string {
  return `${safeName(owner).slice(0, MAX_OWNER_CHARACTERS)}_${safeName(name)}`;
}

/** Letters, digits, `_` and `-`, at most 64. */
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
