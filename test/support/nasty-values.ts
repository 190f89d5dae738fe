import fc from 'fast-check';
import { BEYOND_LOOPBACK } from './forbidden-hosts.ts';

/** A placeholder for text that `JSON.stringify` cannot write, such as numbers beyond a double. */
const RAW = 'raw-json:';

const deep = (levels: number, open: string, close: string) =>
  `${RAW}${open.repeat(levels)}${close.repeat(levels)}`;

const ALLOWED = 'https://93.184.216.34';

/** URLs that must never be called, because of what they are or where they lead. None needs a DNS lookup. */
export const NASTY_URLS = [
  '',
  ' ',
  '\0',
  'hook',
  '//93.184.216.34/hook',
  'javascript:alert(1)',
  'data:text/plain,hook',
  'file:///etc/passwd',
  'ftp://93.184.216.34/hook',
  'gopher://127.0.0.1:9/_hook',
  'https:///hook',
  'https:',
  'https://',
  'https://?',
  'https://:443/',
  'https:93.184.216.34/',
  'https://[::',
  'https://[::1%25lo]/',
  'https://93.184.216.256/',
  'https://%00/',
  'https://\u202E/',
  `${ALLOWED}:99999/`,
  `${ALLOWED}:-1/`,
  `${ALLOWED}:443x/`,
  `https://name:word@93.184.216.34/`,
  `https://@93.184.216.34/`,
  `https://169.254.169.254\\@93.184.216.34/`,
  `${ALLOWED}/#part`,
  `${ALLOWED}/a b`,
  ` ${ALLOWED}/`,
  `${ALLOWED}/\t`,
  `${ALLOWED}/\r\nX-Injected: 1`,
  `${ALLOWED}/\0`,
  `${ALLOWED}/\uD800`,
  `${ALLOWED}/${'a'.repeat(5_000)}`,
  `${ALLOWED}/${'字'.repeat(700)}`,
  'http://93.184.216.34/',
  'http://169.254.169.254/latest/meta-data/',
  'https://192.168.0.1:8080/',
  ...BEYOND_LOOPBACK.map(({ host }) => `https://${host}/`),
];

export const NASTY_VALUES: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    -0,
    2 ** 31,
    2 ** 40,
    2 ** 53,
    1e308,
    -1e308,
    `${RAW}1e999`,
    `${RAW}-1e999`,
    `${RAW}${'9'.repeat(400)}`,
    'NaN',
    'Infinity',
    '',
    ' ',
    '\0',
    '\0\0abc',
    '\uD800',
    'a\uDFFFb',
    '\u202E\uFEFF',
    '\u0001\u0002\u001B[2J',
    'x'.repeat(100_000),
    '字'.repeat(40_000),
    "'; drop table document; --",
    '../../etc/passwd',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59-23:00',
    '2020-02-30T25:61:61Z',
    [],
    [[]],
    {},
    Array.from({ length: 3_000 }, (_, index) => index),
    deep(5_000, '[', ']'),
    deep(5_000, '{"a":', '}').replace('}', '1}'),
    `${RAW}{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}`,
  ),
  fc.constantFrom(...NASTY_URLS),
  fc.string({ unit: 'binary', maxLength: 3_000 }),
  fc.jsonValue({ maxDepth: 4 }),
  fc.double(),
);

export const NASTY_SEGMENTS = fc.oneof(
  fc.constantFrom(
    '%',
    '%ZZ',
    '%00',
    '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '..%5c..%5cwindows',
    '../../../etc/passwd',
    '%ED%A0%80',
    '%C0%AF',
    '%FF',
    '\u00ff\u0080',
    'a'.repeat(9_000),
    '%F0%9F%92%A9',
    '-1',
    '1e999',
    'NaN',
    'null',
    '__proto__',
    'constructor',
    '{document_id}',
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    "'%20or%201=1--",
    ';a=b',
    '',
    '.',
    '..',
    '*',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }).map(encode),
);

export const NASTY_QUERY_VALUES = fc.oneof(
  fc.constantFrom('', '-1', '0', '1.5', '1e999', 'NaN', 'Infinity', '%00', '%ZZ', '%FF', 'null'),
  fc.constantFrom(
    'x'.repeat(5_000),
    '[]',
    '{}',
    '0x10',
    '99999999999999999999',
    'zzzzzzzzzzz',
    '+',
  ),
  fc.string({ unit: 'binary', maxLength: 100 }).map(encode),
);

/** JSON text of a value, with the raw parts unchanged. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.replaceAll(new RegExp(`"${RAW}((?:[^"\\\\]|\\\\.)*)"`, 'g'), (_, raw: string) =>
    raw.replaceAll('\\"', '"'),
  );
}

/** Percent-encodes everything possible and drops half surrogate pairs, which cannot be encoded. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Random, so that Postgres cannot compress it below the size limit of an index entry. */
export function randomIdeographs(length: number): string {
  const codes = Array.from({ length }, () => 0x4e00 + Math.floor(Math.random() * 20_000));
  return String.fromCharCode(...codes);
}
