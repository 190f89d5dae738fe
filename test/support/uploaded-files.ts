import type { ConnectorFiles } from '#src/connectors/source/connector.ts';

export interface UploadedFile {
  name: string;
  content: string | Buffer;
  metadata?: Record<string, unknown>;
}

/** Uploads by id, as a connector reads them. */
export function uploadedFiles(uploads: Map<string, UploadedFile>): ConnectorFiles {
  return {
    exists: (id) => Promise.resolve(uploads.has(id)),
    read(id) {
      const found = uploads.get(id);
      return Promise.resolve(
        found === undefined
          ? null
          : {
              name: found.name,
              bytes: Buffer.from(found.content),
              metadata: found.metadata ?? {},
            },
      );
    },
  };
}
