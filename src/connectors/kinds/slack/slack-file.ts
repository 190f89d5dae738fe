import { z } from 'zod';

/** https://docs.slack.dev/reference/objects/file-object/ */
export const SLACK_FILE = z.object({
  id: z.string().nullish(),
  name: z.string().nullish(),
  title: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().nullish(),
  /** Stored elsewhere: Google Drive, Dropbox. */
  is_external: z.boolean().nullish(),
  /** `check_file_info`: in a shared channel; must be requested separately. */
  file_access: z.string().nullish(),
  url_private: z.string().nullish(),
  url_private_download: z.string().nullish(),
});
export type SlackFile = z.infer<typeof SLACK_FILE>;
