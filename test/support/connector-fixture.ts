import type { AnyConnector, ConnectorFiles } from '#src/connectors/source/connector.ts';
import type { FakeSource } from './fake-source.ts';

/**
 * A source of one kind with a few things in it, for the contract suite: `test/fixtures/connectors/<kind>.ts` exports
 * `startFixture`. The suite runs over every entry of the registry and finds the fixture by the kind's name.
 */
export interface ConnectorFixture extends AsyncDisposable {
  /** Null when the kind speaks no HTTP; faults are then not injected. */
  readonly server: FakeSource | null;
  /** The kind with its vendor's address turned to `server`; without it the registry's own entry is used. */
  readonly connector?: AnyConnector;
  /** Uploads, for kinds that read them. */
  readonly files?: ConnectorFiles;
  /** `connector_specific_config` and `credential_json`, as an administrator would send them. */
  readonly settings: Record<string, unknown>;
  readonly credential: Record<string, unknown>;
  /** Ids of the documents that the source has now, as the connector names them. At least 7 at the start, over at least 3 pages. */
  ids(): string[];
  /** Adds or edits the thing of this name; its time of change becomes `at`. @returns its document id */
  put(name: string, text: string, at: Date): string;
  remove(name: string): void;
  /** Adds `count` small things at once; the source stays fast. */
  fill(count: number, at: Date): void;
  /** From now on the credential is refused. Null for kinds without one. */
  expireCredential: (() => void) | null;
  /** `poll`: an incremental poll reports deletions itself; `prune`: only the listing shows them. */
  readonly deletionsSeenBy: 'poll' | 'prune';
}

export type StartFixture = () => Promise<ConnectorFixture>;
