import { z } from 'zod';

const flag = (description: string) => z.boolean().default(false).describe(description);

/**
 * Parses `a, b` into a list.
 * @param read null for an invalid item
 */
function commaList(read: (item: string) => string | null, what: string, description: string) {
  return z
    .string()
    .nullish()
    .superRefine((text, context) => {
      const wrong = split(text).find((item) => read(item) === null);
      if (wrong !== undefined) context.addIssue(`"${wrong}" is not an ${what}.`);
    })
    .transform((text) => [...new Set(split(text).flatMap((item) => read(item) ?? []))])
    .describe(description);
}

function split(text: string | null | undefined): string[] {
  return (text ?? '')
    .split(/[,\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** The id in the URL of a folder or shared drive, or the id itself. */
function folderId(address: string): string | null {
  if (/^[\w-]{10,}$/.test(address)) return address;
  const url = URL.parse(address);
  const id = /\/folders\/([\w-]+)/.exec(url?.pathname ?? '')?.[1] ?? url?.searchParams.get('id');
  return id ?? null;
}

function email(item: string): string | null {
  return z.email().safeParse(item).success ? item.toLowerCase() : null;
}

export const driveSettings = z
  .strictObject({
    include_shared_drives: flag('All shared drives that the user sees.'),
    include_my_drives: flag(
      'My Drive of the user; with a service account: of every user of the domain.',
    ),
    include_files_shared_with_me: flag('Files of others that were shared with the user.'),
    shared_drive_urls: commaList(
      folderId,
      'address of a shared drive',
      'Shared drives, by their addresses, separated by commas.',
    ),
    my_drive_emails: commaList(
      email,
      'email address',
      'Service account: the users whose My Drive is indexed, separated by commas.',
    ),
    shared_folder_urls: commaList(
      folderId,
      'address of a folder',
      'Folders with all that is below them, by their addresses, separated by commas.',
    ),
    specific_user_emails: commaList(
      email,
      'email address',
      'Service account: the users to act as, separated by commas. Without it: google_primary_admin.',
    ),
    exclude_domain_link_only: flag(
      'Leave out files that everybody of the domain may open, but only by their link.',
    ),
  })
  .refine(
    (settings) =>
      settings.include_shared_drives ||
      settings.include_my_drives ||
      settings.include_files_shared_with_me ||
      [
        settings.shared_drive_urls,
        settings.my_drive_emails,
        settings.shared_folder_urls,
        settings.specific_user_emails,
      ].some((list) => list.length > 0),
    'Set at least one of include_shared_drives, include_my_drives, include_files_shared_with_me, shared_drive_urls, my_drive_emails, shared_folder_urls and specific_user_emails.',
  );

export type DriveSettings = z.output<typeof driveSettings>;
