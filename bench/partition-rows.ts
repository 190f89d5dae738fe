import { randomBytes, randomUUID } from 'node:crypto';
import type { BucketPlace } from '#src/documents/read-postings.ts';
import type { WorkspaceId } from '#src/ids.ts';
import { BinaryCopy } from '#src/platform/copy-binary.ts';
import type { GrowingTable } from './partition-tables.ts';
import { VOCABULARY_SEED } from './search-questions.ts';
import { createRandom, createVocabulary } from './synthetic-documents.ts';
import { furthestBehind } from './workspace-shares.ts';

export const DIMENSIONS = 1_024;
/** Of every document. */
export const SOURCE = 'file';
const DOCUMENT_BYTES = 1_300;
/** Six planes, of which the sign bits are one and lie apart. */
const PLANE_BITS = 5 * DIMENSIONS;
/** About 1,000 postings. */
const BUCKET_BYTES = 2_000;
const BUCKETS_PER_SEGMENT = 1_024;
/** A segment is written at once, so its buckets lie together. */
const BUCKETS_PER_TURN = 32;
const TERM_BUCKETS = 256;
const TERMS_PER_DELTA = 40;
/** Bytes of values are windows into so many random ones. */
const POOL_BYTES = 4_000_003;
const TEXT_OID = 25;

/** Of a COPY. `workspace_id` is last, because two tables have it only as partitions. */
const COLUMNS: Record<GrowingTable, readonly string[]> = {
  document: [
    'id',
    'external_id',
    'semantic_identifier',
    'source',
    'link',
    'metadata',
    'tags',
    'doc_updated_at',
    'primary_owners',
    'secondary_owners',
    'content_hash',
    'content_bytes',
    'index_cost',
    'indexed_revision',
    'status',
    'chunk_count',
    'created_at',
    'indexed_at',
    'workspace_id',
  ],
  chunk_vector: ['chunk_id', 'document_id', 'bits', 'promoted', 'workspace_id'],
  chunk_planes: ['chunk_id', 'planes', 'scale', 'workspace_id'],
  posting_bucket: ['segment_id', 'bucket', 'postings', 'workspace_id'],
  term_delta: ['bucket', 'terms', 'deltas', 'workspace_id'],
};

/** Row id of the document with this number, from 0, and of its one chunk. */
export function idOf(number: number): number {
  return number + 1;
}

export function externalIdOf(number: number): string {
  return `bench-${number}`;
}

interface Segment {
  id: string;
  workspaceId: WorkspaceId;
}

/** Rows by their number, from 0: the same whenever they are asked for. */
export class FilledRows {
  readonly segments = new Map<string, Segment>();
  readonly #workspaceIds: readonly WorkspaceId[];
  readonly #turns: { workspace: number; ordinal: number }[];
  readonly #words = createVocabulary(createRandom(VOCABULARY_SEED)).slice(0, 5_000);
  readonly #pool = randomBytes(POOL_BYTES);
  readonly #writers: Record<GrowingTable, (copy: BinaryCopy, number: number) => WorkspaceId> = {
    document: (copy, number) => this.#document(copy, number),
    chunk_vector: (copy, number) => this.#vector(copy, number),
    chunk_planes: (copy, number) => this.#planes(copy, number),
    posting_bucket: (copy, number) => this.#bucket(copy, number),
    term_delta: (copy, number) => this.#delta(copy, number),
  };

  /** @param shares of the workspaces @param total most rows of a table */
  constructor(workspaceIds: readonly WorkspaceId[], shares: readonly number[], total: number) {
    this.#workspaceIds = workspaceIds;
    const sent = shares.map(() => 0);
    this.#turns = Array.from({ length: total }, () => {
      const workspace = furthestBehind(shares, sent);
      const ordinal = sent[workspace] ?? 0;
      sent[workspace] = ordinal + 1;
      return { workspace, ordinal };
    });
    for (let number = 0; number < total; number += BUCKETS_PER_TURN) this.#placeOf(number);
  }

  /** Numbers of some documents of a workspace, spread over `rows` of them. Its chunks have the same numbers. */
  documentsOf(workspace: number, rows: number, count: number): number[] {
    return this.#turnsOf(workspace, rows, count);
  }

  /** Some buckets of a workspace, spread over `rows` in the table. */
  bucketsOf(workspace: number, rows: number, count: number): BucketPlace[] {
    const turns = this.#turnsOf(workspace, Math.floor(rows / BUCKETS_PER_TURN), count);
    return turns.map((turn, at) =>
      this.#placeOf(turn * BUCKETS_PER_TURN + (at % BUCKETS_PER_TURN)),
    );
  }

  /** What a COPY of rows takes. @param isKeyed with `workspace_id` */
  copyOf(
    table: GrowingTable,
    { from, count }: { from: number; count: number },
    isKeyed: boolean,
  ): { columns: readonly string[]; payload: Buffer } {
    const columns = isKeyed ? COLUMNS[table] : COLUMNS[table].slice(0, -1);
    const copy = new BinaryCopy();
    for (let number = from; number < from + count; number += 1) {
      const workspaceId = this.#writers[table](copy.row(columns.length), number);
      if (isKeyed) copy.uuid(workspaceId);
    }
    return { columns, payload: copy.finish() };
  }

  #document(copy: BinaryCopy, number: number): WorkspaceId {
    const team = this.#wordAt(number);
    const year = String(2000 + (number % 25));
    const title = [1, 2, 3, 4].map((at) => this.#wordAt(number * at)).join(' ');
    const now = new Date();
    copy.int8(idOf(number)).text(externalIdOf(number)).text(title).text(SOURCE);
    copy.text(`https://example.test/documents/${number}`).text(JSON.stringify({ team, year }));
    copy.bytea(textArray([`team=${team}`, `year=${year}`])).timestamptz(now);
    copy.text('[]').text('[]').bytea(this.#bytesAt(number, 32));
    copy.int4(DOCUMENT_BYTES).int4(DOCUMENT_BYTES).int4(1).text('indexed').int4(1);
    copy.timestamptz(now).timestamptz(now);
    return this.#workspaceAt(number);
  }

  #vector(copy: BinaryCopy, number: number): WorkspaceId {
    const bits = this.#bytesAt(number, DIMENSIONS / 8);
    copy.int8(idOf(number)).int8(idOf(number)).bit(bits, DIMENSIONS).bool(false);
    return this.#workspaceAt(number);
  }

  #planes(copy: BinaryCopy, number: number): WorkspaceId {
    copy
      .int8(idOf(number))
      .bit(this.#bytesAt(number, PLANE_BITS / 8), PLANE_BITS)
      .float4(0.05);
    return this.#workspaceAt(number);
  }

  #bucket(copy: BinaryCopy, number: number): WorkspaceId {
    const { segmentId, bucket } = this.#placeOf(number);
    copy.uuid(segmentId).int4(bucket).bytea(this.#bytesAt(number, BUCKET_BYTES));
    return this.#workspaceAt(Math.floor(number / BUCKETS_PER_TURN));
  }

  #delta(copy: BinaryCopy, number: number): WorkspaceId {
    const bucket = number % TERM_BUCKETS;
    const terms = Int32Array.from(
      { length: TERMS_PER_DELTA },
      (_, at) => ((number + at) * 1_009 * TERM_BUCKETS + bucket) % 2 ** 29,
    );
    copy
      .int2(bucket)
      .int4Array(terms)
      .int4Array(terms.map(() => 1));
    return this.#workspaceAt(number);
  }

  /** Segments are filled bucket by bucket, each with buckets of one workspace. */
  #placeOf(number: number): BucketPlace {
    const { workspace, ordinal } = this.#turnAt(Math.floor(number / BUCKETS_PER_TURN));
    const place = ordinal * BUCKETS_PER_TURN + (number % BUCKETS_PER_TURN);
    const name = `${workspace}/${Math.floor(place / BUCKETS_PER_SEGMENT)}`;
    const segment = this.segments.get(name) ?? {
      id: randomUUID(),
      workspaceId: this.#workspaceIdOf(workspace),
    };
    this.segments.set(name, segment);
    return { segmentId: segment.id, bucket: place % BUCKETS_PER_SEGMENT };
  }

  #turnsOf(workspace: number, turns: number, count: number): number[] {
    const own = Array.from({ length: turns }, (_, turn) => turn).filter(
      (turn) => this.#turnAt(turn).workspace === workspace,
    );
    const step = Math.max(1, own.length / count);
    return Array.from(
      { length: Math.min(count, own.length) },
      (_, at) => own[Math.floor(at * step)] ?? 0,
    );
  }

  #turnAt(turn: number): { workspace: number; ordinal: number } {
    return this.#turns[turn] ?? { workspace: 0, ordinal: 0 };
  }

  #workspaceAt(turn: number): WorkspaceId {
    return this.#workspaceIdOf(this.#turnAt(turn).workspace);
  }

  #workspaceIdOf(workspace: number): WorkspaceId {
    const id = this.#workspaceIds[workspace];
    if (id === undefined) throw new Error(`There is no workspace ${workspace}.`);
    return id;
  }

  #wordAt(number: number): string {
    return this.#words[(number * 31) % this.#words.length] ?? '';
  }

  #bytesAt(number: number, length: number): Buffer {
    const start = (number * 7_919) % (POOL_BYTES - length);
    return this.#pool.subarray(start, start + length);
  }
}

/** `text[]` in Postgres's binary format: dimensions, no nulls, type, length, lower bound, then the elements. */
function textArray(values: readonly string[]): Buffer {
  const head = [1, 0, TEXT_OID, values.length, 1];
  const elements = values.flatMap((value) => {
    const bytes = Buffer.from(value);
    return [int4(bytes.length), bytes];
  });
  return Buffer.concat([...head.map(int4), ...elements]);
}

function int4(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
