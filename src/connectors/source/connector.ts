import type { z } from 'zod';
import type { StoredFileId } from '#src/ids.ts';
import type { FileToParse, ParsedFile } from '#src/files/parsed-file.ts';
import type { OutboundGuard } from '#src/platform/http.ts';
import type { DocumentMetadata, StoredOwner, StoredSection } from '#src/tables/documents.ts';
import type { OwnRenderer } from '#src/platform/page-renderer.ts';
import type { SourceHttp, SourcePolicy } from './source-http.ts';

/** A document as found by a connector. A document without any text is skipped, with that reason. */
export interface ConnectorDocument {
  /** Stable: the same thing at the source has the same id in every run. Its URL, if it has one. */
  id: string;
  semanticIdentifier: string;
  title: string | null;
  sections: Pick<StoredSection, 'text' | 'link'>[];
  /** The connector leaves out blank values. */
  metadata: DocumentMetadata;
  updatedAt: Date | null;
  primaryOwners: StoredOwner[];
  secondaryOwners: StoredOwner[];
  /** Null: the connector's source, as its creator wrote it. */
  source: string | null;
}

/** A document that could not be fetched or read. It is recorded, shown, and retried in the next run. */
export interface ConnectorFailure {
  /** The id that the document would have had; null when not even that is known. */
  documentId: string | null;
  link: string | null;
  /** What failed, if it is not a document: a folder, a channel. */
  entityId: string | null;
  reason: string;
}

export interface SkippedDocument {
  documentId: string | null;
  /** A short sentence without names or numbers, because skips are counted by reason: "not a text file". */
  reason: string;
}

/** What a connector wants to know in its next run; see `ConnectorContext.recall`. */
export interface MemoryEntry {
  key: string;
  /** The entry is valid only while the pair has this document, not failed or being deleted; null: always. */
  documentId: string | null;
  /** JSON. */
  value: unknown;
  /** Kept even when everything is read again from the beginning. */
  lasting?: true;
}

/**
 * One step of a poll. The engine accepts its documents, then saves counts, memory and checkpoint together, and only
 * then requests the next page. A resumed run starts after the last saved page.
 */
export interface ConnectorPage<Checkpoint> {
  documents: ConnectorDocument[];
  /** Ids of documents that the source reports as unchanged. */
  unchanged: string[];
  skipped: SkippedDocument[];
  failures: ConnectorFailure[];
  /** Ids of documents that the source reports as gone. */
  removed: string[];
  memory: MemoryEntry[];
  checkpoint: Checkpoint;
  /** The progress of the poll in a few words, for people: "project ABC, 300 of 1240 issues". */
  description: string;
  /** How many documents this run will fetch in total; null when the source does not report it. */
  estimatedTotal: number | null;
}

/** Reads uploads of the pair's own workspace. */
export interface ConnectorFiles {
  exists(id: StoredFileId): Promise<boolean>;
  /** Null when there is no such file. */
  read(id: StoredFileId): Promise<(FileToParse & { metadata: Record<string, unknown> }) | null>;
}

/** Everything that a connector gets from outside. */
export interface ConnectorContext {
  /** Aborted when the run must stop; every wait and every request honours it. */
  readonly signal: AbortSignal;
  readonly http: SourceHttp;
  /** For protocols other than HTTP: decides which address of a host may be contacted. */
  readonly guard: OutboundGuard;
  readonly files: ConnectorFiles;
  /**
   * Parses a file in a separate thread, with limits on time and memory.
   * @throws GiveUp with the reason when it is damaged or of an unsupported type
   */
  parse(file: FileToParse): Promise<ParsedFile>;
  /** The values that earlier pages remembered under these keys, if still valid. */
  recall(keys: readonly string[]): Promise<Map<string, unknown>>;
  /** Null when no browser is installed. */
  readonly renderer: OwnRenderer | null;
  readonly clock: () => Date;
}

export interface PollContext extends ConnectorContext {
  /**
   * Earlier runs fetched all changes before this (30 minutes of overlap already subtracted); null: fetch everything.
   */
  readonly since: Date | null;
  /** When the run began. Later changes belong to the next run. */
  readonly until: Date;
}

/**
 * One kind of source. The errors that it throws decide about the run: `CredentialRejected` pauses the pair,
 * `SourceRefused` fails the run, `SourceUnavailable` (and any failure that `http` could not fix by retrying) makes it
 * wait and continue from the checkpoint.
 */
export interface Connector<Settings, Credential, Checkpoint> {
  /** Lower-case words joined by `_`: the value of `source` in the API. */
  readonly kind: string;
  /** Other names for the kind that clients send: `jira` for `tracker`. */
  readonly aliases: readonly string[];
  /** Separate sources that the same code serves: `r2` for `s3`. */
  readonly variants?: readonly string[];
  /** For display: "Jira". */
  readonly title: string;
  /** What it indexes, in a sentence. */
  readonly summary: string;
  /** `connector_specific_config`; unknown keys are an error. */
  readonly settings: z.ZodType<Settings>;
  /** `credential_json`; `NO_CREDENTIAL` for kinds that take none. */
  readonly credential: z.ZodType<Credential>;
  readonly checkpoint: z.ZodType<Checkpoint>;
  /** The load that the source can take. */
  readonly limits: SourcePolicy;
  /** Suggested seconds between runs. */
  readonly defaultRefreshSeconds: number;
  /**
   * Contacts the source and reads one item that the settings name.
   * @throws CredentialRejected or SourceRefused with the source's own message
   */
  check(settings: Settings, credential: Credential, context: ConnectorContext): Promise<void>;
  /** Starts at `checkpoint`, or at the beginning when it is null. Ends when the source has no more. */
  poll(
    settings: Settings,
    credential: Credential,
    checkpoint: Checkpoint | null,
    context: PollContext,
  ): AsyncIterable<ConnectorPage<Checkpoint>>;
  /**
   * Ids of all documents that the source has now, in portions, without their content. Throws when any part of the
   * listing fails: an incomplete list would delete documents.
   */
  listIds(
    settings: Settings,
    credential: Credential,
    context: ConnectorContext,
  ): AsyncIterable<string[]>;
  /**
   * Refetches single documents that failed in an earlier run; an id that is gone is `removed`. Kinds that read
   * everything in every poll omit it. Others may, too: the next window then reaches back to the failure.
   */
  fetchAgain?(
    settings: Settings,
    credential: Credential,
    documentIds: readonly string[],
    context: ConnectorContext,
  ): AsyncIterable<Omit<ConnectorPage<unknown>, 'checkpoint'>>;
}

/** A connector whose types do not matter to the caller; its arguments have been parsed by its own schemas. */
export interface AnyConnector extends Omit<
  Connector<unknown, unknown, unknown>,
  'check' | 'poll' | 'listIds' | 'fetchAgain'
> {
  check(settings: unknown, credential: unknown, context: ConnectorContext): Promise<void>;
  poll(
    settings: unknown,
    credential: unknown,
    checkpoint: unknown,
    context: PollContext,
  ): AsyncIterable<ConnectorPage<unknown>>;
  listIds(
    settings: unknown,
    credential: unknown,
    context: ConnectorContext,
  ): AsyncIterable<string[]>;
  fetchAgain?(
    settings: unknown,
    credential: unknown,
    documentIds: readonly string[],
    context: ConnectorContext,
  ): AsyncIterable<Omit<ConnectorPage<unknown>, 'checkpoint'>>;
}

/** For the registry. The methods get what their own schemas have parsed. */
export function defineConnector<Settings, Credential, Checkpoint>(
  connector: Connector<Settings, Credential, Checkpoint>,
): AnyConnector {
  return connector;
}

/** A page that is empty except for the given fields. */
export function pageOf<Checkpoint>(
  page: Pick<ConnectorPage<Checkpoint>, 'checkpoint' | 'description'> &
    Partial<ConnectorPage<Checkpoint>>,
): ConnectorPage<Checkpoint> {
  return {
    documents: [],
    unchanged: [],
    skipped: [],
    failures: [],
    removed: [],
    memory: [],
    estimatedTotal: null,
    ...page,
  };
}
