import type { AnyConnector, ConnectorFiles } from '#src/connectors/source/connector.ts';
import type { FakeSource } from './fake-source.ts';

/**
 * A source of one kind with some content, for the contract suite: `test/fixtures/connectors/<kind>.ts` exports
 * `startFixture`. The suite runs over every entry of the registry and finds the fixture by the name of the kind.
 */
export interface ConnectorFixture extends AsyncDisposable {
  /** Null when the kind does not use HTTP; then no faults are injected. */
  readonly server: FakeSource | null;
  /** The kind with its vendor's URL replaced by `server`; by default the registry's own entry is used. */
  readonly connector?: AnyConnector;
  /** Uploads, for kinds that read them. */
  readonly files?: ConnectorFiles;
  /** `connector_specific_config` and `credential_json`, as an administrator would send them. */
  readonly settings: Record<string, unknown>;
  readonly credential: Record<string, unknown>;
  /**
   * Ids of the documents that the source has now, in the connector's form. At the start at least 7 documents on at
   * least 3 pages.
   */
  ids(): string[];
  /** Adds or edits the item with this name and sets its modification time to `at`. @returns its document id */
  put(name: string, text: string, at: Date): string;
  remove(name: string): void;
  /** Adds `count` small items at once without slowing the source down. */
  fill(count: number, at: Date): void;
  /** Makes the source refuse the credential from now on. Null for kinds without one. */
  expireCredential: (() => void) | null;
  /** `poll`: an incremental poll reports deletions itself; `prune`: only the listing shows them. */
  readonly deletionsSeenBy: 'poll' | 'prune';
}

export type StartFixture = () => Promise<ConnectorFixture>;
