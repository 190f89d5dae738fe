import type { AnyConnector, ConnectorPage } from '#src/connectors/source/connector.ts';
import type { SourceHttp } from '#src/connectors/source/source-http.ts';
import { collectPages, openTestContext } from './connector-context.ts';

type Lists = Pick<
  ConnectorPage<unknown>,
  'documents' | 'unchanged' | 'skipped' | 'failures' | 'removed'
>;

/** A connector at a real server, with what it remembers between runs. */
export interface PeerDrive extends AsyncDisposable {
  /** Runs to the end, from a checkpoint or from the start; returns the combined content of all pages. */
  poll(checkpoint?: unknown): Promise<Lists & { pages: ConnectorPage<unknown>[] }>;
  list(): Promise<string[]>;
  check(): Promise<void>;
  fetchAgain(ids: readonly string[]): Promise<Lists>;
  /** Status and path of each response of the server since the last call. */
  answers(): string[];
}

/** Parses its inputs with the connector's own schemas, as the engine does. */
export function drivePeer(
  connector: AnyConnector,
  inputs: { settings: object; credential: object },
): PeerDrive {
  const settings: unknown = connector.settings.parse(inputs.settings);
  const credential: unknown = connector.credential.parse(inputs.credential);
  const opened = openTestContext();
  let answers: string[] = [];
  const http = watched(opened.context.http, (answer) => answers.push(answer));
  const context = { ...opened.context, http };
  return {
    async poll(checkpoint = null) {
      const polled = connector.poll(settings, credential, checkpoint, context);
      const pages = await collectPages(polled, opened);
      return { pages, ...joined(pages) };
    },
    list: async () =>
      (await Array.fromAsync(connector.listIds(settings, credential, context))).flat(),
    check: () => connector.check(settings, credential, context),
    async fetchAgain(ids) {
      const again = connector.fetchAgain?.(settings, credential, ids, context) ?? [];
      return joined(await Array.fromAsync(again));
    },
    answers() {
      const seen = answers;
      answers = [];
      return seen;
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

function joined(pages: readonly Lists[]): Lists {
  return {
    documents: pages.flatMap(({ documents }) => documents),
    unchanged: pages.flatMap(({ unchanged }) => unchanged),
    skipped: pages.flatMap(({ skipped }) => skipped),
    failures: pages.flatMap(({ failures }) => failures),
    removed: pages.flatMap(({ removed }) => removed),
  };
}

function watched(http: SourceHttp, see: (answer: string) => void): SourceHttp {
  return {
    async send(request) {
      const response = await http.send(request);
      see(`${response.status} ${new URL(request.url).pathname}`);
      return response;
    },
    json: (request, schema) => http.json(request, schema),
    withHabits: (habits) => watched(http.withHabits(habits), see),
  };
}
