import type { Node } from 'oxc-parser';
import { fragmentsOfBuilder } from './builder-fragments.ts';
import { evaluate } from './evaluate.ts';
import { isSqlTag } from './sql-tag.ts';
import {
  fileOf,
  parseFolder,
  placeOf,
  type SourceFile,
  type Template,
  textOf,
} from './source-files.ts';
import { alternatives, PARAMETER, Unassembled } from './values.ts';

export interface Statement {
  /** `src/x.ts:12`. */
  place: string;
  /** As written in the file. */
  source: string;
  /** With `$1`, `$2` for the parameters. */
  text: string;
  /** `X` of `sql<X>`. */
  rowType: Node | null;
}

export interface FoundStatements {
  statements: Statement[];
  /** Statements that cannot be assembled, with the reason. */
  unassembled: { place: string; source: string; reason: string }[];
  /** Fragments that no statement uses. */
  unused: string[];
}

const STATEMENT =
  /^\s*(?:--.*\n\s*)*(?:\(?select|insert|update|delete|with|lock|set|reset|analyze|create|drop|listen|notify)\b/i;

/** Every raw statement in these folders, in each of its variants. */
export function findStatements(...folders: string[]): FoundStatements {
  return collect(folders.flatMap((folder) => parseFolder(folder)));
}

export function collect(files: readonly SourceFile[]): FoundStatements {
  const nodes = files.flatMap((file) => file.nodes);
  const templates = nodes.filter(
    (node) => node.type === 'TaggedTemplateExpression' && isSqlTag(node.tag),
  ) as Template[]; // ensured by the condition
  const collection = new Collection(templates);
  for (const node of executedIn(nodes)) collection.add(node);
  for (const { node, inContext } of fragmentsOfBuilder(nodes)) collection.add(node, { inContext });
  // Returned for the caller to execute.
  for (const node of templates)
    if (!collection.has(node)) collection.add(node, { only: STATEMENT });
  return collection.found();
}

class Collection {
  readonly #statements: Statement[] = [];
  readonly #unassembled: FoundStatements['unassembled'] = [];
  readonly #used = new Set<Template>();
  readonly #templates: readonly Template[];

  constructor(templates: readonly Template[]) {
    this.#templates = templates;
  }

  has(template: Template): boolean {
    return this.#used.has(template);
  }

  /** Empty for an expression that is not SQL. */
  add(node: Node, how: { inContext?: (text: string) => string; only?: RegExp } = {}): void {
    try {
      this.#addVariants(node, how);
    } catch (error) {
      if (!(error instanceof Unassembled)) throw error;
      this.#unassembled.push({ source: textOf(node), place: placeOf(node), reason: error.message });
      for (const template of this.#templates)
        if (isPartOf(template, node)) this.#used.add(template);
    }
  }

  found(): FoundStatements {
    return {
      statements: this.#statements,
      unassembled: this.#unassembled,
      unused: this.#templates.filter((one) => !this.has(one)).map((one) => placeOf(one)),
    };
  }

  #addVariants(
    node: Node,
    {
      inContext = (text) => text,
      only = /(?:)/,
    }: { inContext?: (text: string) => string; only?: RegExp },
  ): void {
    const known = new Set<string>();
    for (const { result, path } of alternatives((at) => evaluate(node, null, at))) {
      if (result.kind !== 'sql' || !only.test(result.text)) continue;
      for (const template of path.used) this.#used.add(template);
      const text = numbered(inContext(result.text));
      if (known.has(text)) continue;
      known.add(text);
      const { rowType } = result;
      this.#statements.push({ place: placeOf(node), source: textOf(node), text, rowType });
    }
  }
}

function isPartOf(node: Node, whole: Node): boolean {
  return fileOf(node) === fileOf(whole) && node.start >= whole.start && node.end <= whole.end;
}

function executedIn(nodes: readonly Node[]): Node[] {
  return nodes.flatMap((node) => {
    if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return [];
    const { property, object } = node.callee;
    return property.type === 'Identifier' && property.name === 'execute' ? [object] : [];
  });
}

function numbered(text: string): string {
  let count = 0;
  return text.replaceAll(PARAMETER, () => {
    count += 1;
    return `$${count}`;
  });
}
