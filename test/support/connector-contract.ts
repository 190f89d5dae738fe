import { existsSync } from 'node:fs';
import type { AnyConnector } from '#src/connectors/source/connector.ts';
import { CONNECTORS } from '#src/connectors/kinds/registry.ts';
import type { ConnectorFixture, StartFixture } from './connector-fixture.ts';
import type { FakeSource, RecordedRequest, SourceFault } from './fake-source.ts';

/** A connector kind of the registry with its fixture. */
export interface ContractKind {
  readonly kind: string;
  readonly entry: AnyConnector;
  /** False for protocols without HTTP faults to inject. */
  readonly speaksHttp: boolean;
  readonly start: () => Promise<ContractSource>;
}

/** A running fixture and the connector that reads it. */
export interface ContractSource extends AsyncDisposable {
  readonly fixture: ConnectorFixture;
  readonly connector: AnyConnector;
  /** @throws Error for a kind that does not use HTTP */
  readonly server: FakeSource;
  /** Parsed by the schemas of the kind, as the engine does. */
  settings(changed?: object): unknown;
  credential(): unknown;
}

/** Every kind that has a fixture; a test of its own fails for missing ones. */
export async function loadContractKinds(): Promise<ContractKind[]> {
  const found = CONNECTORS.filter(({ kind }) => hasFixture(kind));
  return Promise.all(found.map(loadKind));
}

export function hasFixture(kind: string): boolean {
  return existsSync(new URL(`../fixtures/connectors/${kind}.ts`, import.meta.url));
}

async function loadKind(entry: AnyConnector): Promise<ContractKind> {
  const { kind } = entry;
  // The module is found by its name; `start` fails when it exports something else.
  const { startFixture } = (await import(`../fixtures/connectors/${kind}.ts`)) as {
    startFixture: StartFixture;
  };
  await using fixture = await startFixture();
  const speaksHttp = fixture.server !== null;
  return { kind, entry, speaksHttp, start: async () => openSource(await startFixture(), entry) };
}

function openSource(fixture: ConnectorFixture, entry: AnyConnector): ContractSource {
  const connector = fixture.connector ?? entry;
  return {
    fixture,
    connector,
    get server() {
      if (!fixture.server) throw new Error(`${connector.kind} speaks no HTTP.`);
      return fixture.server;
    },
    settings: (changed = {}) => connector.settings.parse({ ...fixture.settings, ...changed }),
    credential: () => connector.credential.parse(fixture.credential),
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}

export interface InjectedFault {
  /** Number of requests that met the fault. */
  met: number;
}

/** The `n`-th request from now on, and every identical one after it, meets the fault, at most `times` times. */
export function injectFault(
  { server }: ContractSource,
  n: number,
  fault: SourceFault,
  times: number = Number.POSITIVE_INFINITY,
): InjectedFault {
  const injected = { met: 0 };
  let count = 0;
  let faulty: string | null = null;
  server.fault = (request) => {
    count += 1;
    if (count === n) faulty = identityOf(request);
    if (identityOf(request) !== faulty || injected.met === times) return null;
    injected.met += 1;
    return fault;
  };
  return injected;
}

function identityOf({ method, url, body }: RecordedRequest): string {
  return `${method} ${url.href} ${body}`;
}

/** Every request from now on meets the fault; null ends it. */
export function injectEverywhere({ server }: ContractSource, fault: SourceFault | null): void {
  server.fault = () => fault;
}
