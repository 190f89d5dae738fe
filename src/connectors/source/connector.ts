import type { z } from 'zod';
import type { StoredFileId } from '#src/ids.ts';
import type { FileToParse, ParsedFile } from '#src/files/parsed-file.ts';
import type { OutboundGuard } from '#src/platform/http.ts';
import type { DocumentMetadata, StoredOwner, StoredSection } from '#src/tables/documents.ts';
import type { PageRenderer } from '#src/platform/page-renderer.ts';
import type { SourceHttp, SourcePolicy } from './source-http.ts';

/** A document as a connector found it. A document without any text is skipped, with that reason. */
export interface ConnectorDocument {
  /** Stable: the same thing at the source has the same id in every run. Its URL, wherever it has one. */
  id: string;
  semanticIdentifier: string;
  title: string | null;
  sections: Pick<StoredSection, 'text' | 'link'>[];
  /** Blank values are left out by the connector. */
  metadata: DocumentMetadata;
  updatedAt: Date | null;
  primaryOwners: StoredOwner[];
  secondaryOwners: StoredOwner[];
  /** Null: the source of the connector, as its creator wrote it. */
  source: string | null;
}

/** A document that could not be fetched or read. It is recorded, shown, and tried again at the next run. */
export interface ConnectorFailure {
  /** As the document would have been named; null when not even that is known. */
  documentId: string | null;
  link: string | null;
  /** What failed when it is no document: a folder, a channel. */
  entityId: string | null;
  reason: string;
}

export interface SkippedDocument {
  documentId: string | null;
  /** A short sentence without names or numbers, since skips are counted by reason: "not a text file". */
  reason: string;
}

/** What a connector wants to know again at its next run; see `ConnectorContext.recall`. */
export interface MemoryEntry {
  key: string;
  /** The entry holds only while the pair has this document in good state; null: always. */
  documentId: string | null;
  /** JSON. */
  value: unknown;
  /** Kept even when everything is looked at anew from the beginning. */
  lasting?: true;
}

/**
 * One step of a poll. The engine accepts its documents, and then saves counts, memory and checkpoint together; only
 * then it asks for the next page. A run that is taken up again starts after the last saved page.
 */
export interface ConnectorPage<Checkpoint> {
  documents: ConnectorDocument[];
  /** Ids of documents of which the source says that they are as they were. */
  unchanged: string[];
  skipped: SkippedDocument[];
  failures: ConnectorFailure[];
  /** Ids of documents of which the source says that they are gone. */
  removed: string[];
  memory: MemoryEntry[];
  checkpoint: Checkpoint;
  /** Where the poll stands, in a few words for people: "project ABC, 300 of 1240 issues". */
  description: string;
  /** How many documents this run will fetch in all; null when the source does not say. */
  estimatedTotal: number | null;
}

/** Reads uploads of the pair's own workspace. */
export interface ConnectorFiles {
  exists(id: StoredFileId): Promise<boolean>;
  /** Null when there is no such file. */
  read(id: StoredFileId): Promise<(FileToParse & { metadata: Record<string, unknown> }) | null>;
}

/** What a connector is given: everything outside of it. */
export interface ConnectorContext {
  /** Aborted when the run must stop; every wait and every request heeds it. */
  readonly signal: AbortSignal;
  readonly http: SourceHttp;
  /** For protocols other than HTTP: says which address a host may be reached at. */
  readonly guard: OutboundGuard;
  readonly files: ConnectorFiles;
  /**
   * Reads a file in a thread of its own, with bounds on time and memory.
   * @throws GiveUp with the reason when it is damaged or of an unsupported kind
   */
  parse(file: FileToParse): Promise<ParsedFile>;
  /** The values that earlier pages remembered under these keys, as far as they still hold. */
  recall(keys: readonly string[]): Promise<Map<string, unknown>>;
  /** Null when no browser is installed. */
  readonly renderer: PageRenderer | null;
  readonly clock: () => Date;
}

export interface PollContext extends ConnectorContext {
  /** What changed before this was fetched by earlier runs (30 minutes of overlap are taken off already); null: everything. */
  readonly since: Date | null;
  /** When the run began. What changes later is the next run's. */
  readonly until: Date;
}

/**
 * One kind of source. Errors that it throws decide what becomes of the run:
 * `CredentialRejected` pauses the pair, `SourceRefused` fails the run, `SourceUnavailable` (and whatever `http`
 * could not mend) makes it wait and go on from the checkpoint.
 */
export interface Connector<Settings, Credential, Checkpoint> {
  /** Lower-case words joined by `_`: the value of `source` in the API. */
  readonly kind: string;
  /** Other names of the kind that clients send: `jira` for `tracker`. */
  readonly aliases: readonly string[];
  /** Sources of their own that the same code serves: `r2` for `s3`. */
  readonly variants?: readonly string[];
  /** As people write it: "Jira". */
  readonly title: string;
  /** What it indexes, in a sentence. */
  readonly summary: string;
  /** `connector_specific_config`; unknown keys are an error. */
  readonly settings: z.ZodType<Settings>;
  /** `credential_json`; `NO_CREDENTIAL` for kinds that take none. */
  readonly credential: z.ZodType<Credential>;
  readonly checkpoint: z.ZodType<Checkpoint>;
  /** How hard the source may be asked. */
  readonly limits: SourcePolicy;
  /** Seconds between runs that its form suggests. */
  readonly defaultRefreshSeconds: number;
  /**
   * Contacts the source and reads one thing that the settings name.
   * @throws CredentialRejected or SourceRefused with the source's own words
   */
  check(settings: Settings, credential: Credential, context: ConnectorContext): Promise<void>;
  /** From `checkpoint`, or from the start when it is null. Ends when the source has no more. */
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
   * Fetches single documents again that failed in an earlier run; an id that is gone is `removed`. Kinds whose every
   * poll looks at everything leave it out, and so may others: the next window then reaches back to the failure.
   */
  fetchAgain?(
    settings: Settings,
    credential: Credential,
    documentIds: readonly string[],
    context: ConnectorContext,
  ): AsyncIterable<Omit<ConnectorPage<unknown>, 'checkpoint'>>;
}

/** A connector whose types do not matter to the caller; what it is given was parsed by its own schemas. */
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

/** For the registry. Its methods take what the schemas beside them have parsed. */
export function defineConnector<Settings, Credential, Checkpoint>(
  connector: Connector<Settings, Credential, Checkpoint>,
): AnyConnector {
  return connector;
}

/** A page with nothing in it but what is given. */
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
