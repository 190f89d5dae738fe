import { urlSegments } from './url-segments.ts';

const HOSTS = /^(?:(?:www|m)\.)?instagram\.com$|^(?:www\.)?instagr\.am$/;
const HANDLE = /^(?!\.)[a-z0-9._]{1,30}(?<!\.)$/;
/** Instagram's own paths, and template placeholders. */
const NO_HANDLES = new Set(
  (
    'p reel reels tv stories explore accounts direct about developer legal web static share invites challenge api graphql emails session ' +
    'privacy terms help blog press jobs locations directory embed.js instagram yourhandle your_handle yourprofile yourusername your_username ' +
    'username user handle undefined null wix wordpress squarespace'
  ).split(' '),
);

/** The canonical URL of an Instagram profile; null for any other URL. */
export function instagramProfile({ hostname, pathname }: URL): string | null {
  if (!HOSTS.test(hostname.replace(/\.$/, ''))) return null;
  const parts = urlSegments(pathname) ?? [];
  // `/_u/` links open the app.
  const [written = ''] = parts[0] === '_u' ? parts.slice(1) : parts;
  const handle = written.trim().replace(/^@/, '').toLowerCase();
  if (!HANDLE.test(handle) || NO_HANDLES.has(handle)) return null;
  return `https://www.instagram.com/${handle}`;
}
