import type { DocumentServices } from '#src/documents/document-services.ts';
import type { FileServices } from '#src/files/file-services.ts';
import type { PlatformServices } from '#src/platform/platform-services.ts';

/** The services that connectors need. */
export interface ConnectorServices
  extends
    PlatformServices,
    Pick<DocumentServices, 'producer' | 'documentAcceptor'>,
    Pick<FileServices, 'files' | 'parsers'> {}
