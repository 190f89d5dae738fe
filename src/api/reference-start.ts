// Not a module: runs in the browser, on the page /docs, after Swagger UI and the script that sets `description`.

type Json = Readonly<Record<string, unknown>>;
interface SpecActions {
  updateJsonSpec(description: Json): void;
  updateUrl(url: string): void;
}
declare const description: Json;
declare function SwaggerUIBundle(options: object): { specActions: SpecActions };

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at `path`, with every reference replaced by what it names. One that leads back to itself stays. */
function partOf(path: readonly string[]): unknown {
  return withoutReferences(valueAt(path), new Set());
}

function valueAt(path: readonly string[]): unknown {
  let value: unknown = description;
  for (const name of path) value = isObject(value) ? value[name] : null;
  return value ?? null;
}

function withoutReferences(value: unknown, above: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutReferences(one, above));
  if (!isObject(value)) return value;
  const { $ref: reference, ...own } = value;
  if (typeof reference === 'string' && !above.has(reference)) {
    const named = valueAt(reference.split('/').slice(1));
    return withoutReferences(
      { ...(isObject(named) && named), ...own },
      above.union(new Set([reference])),
    );
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, withoutReferences(one, above)]),
  );
}

/**
 * Swagger UI would read the description as YAML and turn the whole of it into a tree of its own: once for the list of
 * keys, and again for each endpoint that is opened, for seconds each time. Our references need none of that.
 */
const ownDescription = () => ({
  fn: {
    resolveSubtree: async (_: unknown, path: string[]) => ({ spec: partOf(path), errors: [] }),
  },
  statePlugins: {
    spec: {
      wrapActions: {
        parseToJson:
          (_: unknown, { specActions }: { specActions: SpecActions }) =>
          () =>
            specActions.updateJsonSpec(description),
      },
    },
  },
});

// There are some 280 endpoints, so their groups start collapsed, with a filter field.
const { specActions } = SwaggerUIBundle({
  spec: description,
  dom_id: '#reference',
  plugins: [ownDescription],
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: null,
});

// For the link to the description. Relative to this script, so that the page works below any prefix.
if (document.currentScript instanceof HTMLScriptElement) {
  specActions.updateUrl(new URL('../../openapi.json', document.currentScript.src).href);
}
