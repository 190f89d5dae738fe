import { urlSegments } from './url-segments.ts';

const HOSTS =
  /^(?:(?:www|m|mbasic|touch|web|business|[a-z]{2}-[a-z]{2})\.)?facebook\.com$|^(?:www\.)?fb\.com$/;
/** Facebook ignores case and full stops in the names of pages, but not hyphens. */
const PAGE = /^[\p{L}\p{N}][\p{L}\p{N}.-]{1,79}$/u;
const ID = /^\d{5,20}$/;
/** Facebook's own paths, shared content, and template placeholders. */
const NO_PAGES = new Set(
  (
    'sharer share sharer.php share.php dialog plugins tr login login.php logout signup reg r.php recover help policies policy privacy legal terms ' +
    'about ads adsmanager business careers settings home home.php l.php events event groups watch hashtag marketplace gaming games live ' +
    'photo photo.php photos album.php media story.php permalink.php posts video video.php videos reel reels stories notes messages messenger public search ' +
    'places directory apps app_scoped_user_id connect oauth feed friends notifications bookmarks fundraisers donate jobs offers onthisday pages people profile.php pg p ' +
    'me you your yourpage your-page yourprofile yourcompany yourname username user page pagename mypage facebook facebookapp fb undefined null wix wordpress squarespace meta'
  ).split(' '),
);

/** The canonical URL of a Facebook page; null for any other URL. */
export function facebookProfile({ hostname, pathname, searchParams }: URL): string | null {
  if (!HOSTS.test(hostname.replace(/\.$/, ''))) return null;
  const [section = '', name = '', id = ''] = urlSegments(pathname) ?? [];
  const first = section.toLowerCase();
  switch (first) {
    case 'profile.php': {
      const number = searchParams.get('id') ?? '';
      return ID.test(number) ? `https://www.facebook.com/profile.php?id=${number}` : null;
    }
    case 'pages':
    case 'people':
      return ID.test(id) && name !== '' ? pageUrl(`${first}/${encoded(name)}/${id}`) : null;
    case 'p':
      return /-\d{5,20}$/.test(name) ? pageUrl(`p/${encoded(name)}`) : null;
    case 'pg':
      return pageOf(name);
    default:
      return pageOf(first);
  }
}

function pageOf(written: string): string | null {
  const name = written.toLowerCase();
  const isPage = PAGE.test(name) && !NO_PAGES.has(name) && !/^v\d|\.(?:php|html?)$/.test(name);
  return isPage ? pageUrl(encoded(name)) : null;
}

function pageUrl(path: string): string {
  return `https://www.facebook.com/${path}`;
}

function encoded(name: string): string {
  return encodeURIComponent(name.toLowerCase());
}
