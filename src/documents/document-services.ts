import type { Producer } from '#queues/producer.ts';
import type { PlatformServices } from '#src/platform/platform-services.ts';
import type { DocumentAcceptor } from './accept-document.ts';
import type { DocumentReader } from './document-reader.ts';
import type { Embedder } from './embed.ts';
import type { DescribeImage } from './image-sections.ts';
import type { IndexThreads } from './index-threads.ts';
import type { IndexTurns } from './index-turns.ts';
import type { LineRoom } from './line-room.ts';

/** Services that document handling needs. */
export interface DocumentServices extends PlatformServices {
  readonly producer: Producer;
  readonly embedder: Embedder;
  readonly indexThreads: IndexThreads;
  readonly indexTurns: IndexTurns;
  readonly documentReader: DocumentReader;
  readonly lineRoom: LineRoom;
  readonly documentAcceptor: DocumentAcceptor;
  /** Describes the images of documents in words. */
  readonly describeImage: DescribeImage;
}
