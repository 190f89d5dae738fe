import { expect, test } from 'vitest';

import { openPage } from '#src/files/open-page.ts';
import { readObfuscatedEmails } from '#src/leads/extract/obfuscated-email.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

function read(html: string): string[] {
  const source = { url: 'https://acme.test/', html, page: openPage(html), region: null };
  return readObfuscatedEmails(source).flatMap(({ emails }) => emails);
}

test.each([
  '<p>Meet us at example dot com</p>',
  '<p>2 at 3 dot com</p>',
  '<p>We are at home. Dot com was long ago.</p>',
  '<p>Look at me dot com</p>',
  '<p>Find our shop at acme.com</p>',
  '<p>Follow us @ acme.com</p>',
  '<a data-shop="tools" data-feed="acme.de" href="/tools">Tools</a>',
  '<span data-version="v2" data-file="acme.min.js" data-x="1">x</span>',
  '<p>Or read more at acme dot test</p>',
  '<p>Book a table or dine at other dot test</p>',
  '<p>Jane worked at Acme dot</p>',
  '<p>The show starts (at) acme.com</p>',
  '<p>x = a[at]b.length</p>',
  '<p>photo_at_night.jpg</p>',
  '<p>Open Mon (at) 9.30</p>',
  '<p>info@acme.test</p>',
  '<img src="logo@2x.png" data-src="logo@2x.png">',
  '<script>var image = "logo" + "@2x" + ".png"</script>',
  '<script>Sentry.init({dsn: "https://0123456789abcdef0123456789abcdef" + "@o1.ingest.sentry.io/1"})</script>',
  '<script>var author = "dev@library.test"; // jane@acme.test</script>',
  '<script>send("jane" + "@" + location.host + ".test")</script>',
  '<script>var a = user + "@" + "acme.test"</script>',
  '<script type="application/json">{"a":"x\\u0040acme.test"}</script>',
  '<script data-domain="acme.test" src="x.js"></script>',
  '<div data-name="Acme" data-domain="acme.test"></div>',
  '<script>x = `${user}@acme.test`</script>',
  '<script>x = p[0] + "@" + p[1]</script>',
  '<div data-name="acme" data-domain="acme.test"></div>',
  '<div data-id="17" data-domain="acme.test"></div>',
  '<div data-hash="0123456789abcdef0123456789abcdef"></div>',
  '<a href="mailto:?subject=jane [at] home">share</a>',
  '<span style="display:none">trap [at] acme [dot] com</span>',
  '<!-- trap [at] acme [dot] com -->',
])('%s contains no obfuscated address', (html) => {
  expect(read(html)).toEqual([]);
});

test.each([
  'info [at] acme [dot] de',
  'info (at) acme (dot) de',
  'info{at}acme{dot}de',
  'info(at)acme.de',
  'INFO [AT] ACME [DOT] DE',
  'info_at_acme_dot_de',
  'info&#xFF20;acme.de',
  'info @ acme.de',
  'E-Mail: info at acme.de',
  'info AT acme DOT de',
  '<span>Mail:</span><span>info</span>[at]<span>acme</span>[dot]<span>de</span>',
  'info (ät) acme (punkt) de',
  'info(klammeraffe)acme(punkt)de',
  'info arroba acme punto de',
  'info (arroba) acme (ponto) de',
  'info (arobase) acme (point) de',
  'info (chiocciola) acme (punto) de',
  'info (apenstaartje) acme (punt) de',
  'info [małpa] acme [kropka] de',
  'info (zavináč) acme (tečka) de',
  'info (kukac) acme (pont) de',
  'info (snabel-a) acme (prick) de',
  'info (собака) acme (точка) de',
  'info собака acme точка de',
  'info[アット]acme[ドット]de',
  'info -at- acme -dot- de',
  'info <b>[at]</b> acme <b>[dot]</b> de',
  'info <i>at</i> acme <i>dot</i> de',
  'info [a<!-- x -->t] acme.de',
  'info<img src="x.png" alt="@">acme.de',
  'info(골뱅이)acme(점)de',
])('%s is read as info@acme.de', (text) => {
  expect(read(`<p>${text}</p>`)).toEqual(['info@acme.de']);
});

test.each([
  ['jane at acme dot com', 'jane@acme.com'],
  ['Write to jane at acme dot com, please', 'jane@acme.com'],
  ['jane dot doe at acme dot co dot uk', 'jane.doe@acme.co.uk'],
  ['me [at] janedoe [dot] com', 'me@janedoe.com'],
])('the words %j are read as an address', (text, email) => {
  expect(read(`<p>${text}</p>`)).toEqual([email]);
});

test.each([
  'jane<!-- x -->@acme<!-- y -->.de',
  'ja<span style="display: none">NOSPAM</span>ne@acme.de',
  'ja<span hidden>x</span>ne@<b style="visibility:hidden">x</b>acme.de',
  'ja<i style="font-size:0">x</i>ne@acme.de',
  '<style>@media print { .p { display: none } } .x, p .n { color: red; display : none }</style>ja<span class="a n">x</span>ne@acme.de',
  'jane@ac&shy;me.de',
  'ja&#8203;ne@acme.de',
  '&amp;#106;&amp;#x61;ne&amp;#64;acme&amp;#46;de',
  'jane&amp;commat;acme.de',
  '<span style="unicode-bidi:bidi-override; direction: rtl;">ed.emca@enaj</span>',
  '<bdo dir="rtl">ed.emca@enaj</bdo>',
  '<style>.r{direction:rtl;unicode-bidi:bidi-override}</style><span class="r">ed.emca@enaj</span>',
])('%s displays jane@acme.de', (html) => {
  expect(read(`<p>${html}</p>`)).toEqual(['jane@acme.de']);
});

test.each([
  '<a href="znvygb:wnar@npzr.qr">x</a>',
  '<span data-rot13="wnar@npzr.qr"></span>',
  '<span class="rot13">wnar@npzr.qr</span>',
  '<a data-user="jane" data-domain="acme.de"></a>',
  '<a data-name="jane" data-domain="acme" data-tld="de"></a>',
  '<a class="post" data-naam="jane" data-bij="acme.de" href="#">klik hier</a>',
  '<a data-user="enaj" data-domain="ed.emca"></a>',
  '<a data-name="jane" data-domain="acme.de"></a>',
  '<b class="rot13" data-email="wnar@npzr.qr"></b>',
  '<b class="reverse">ed.emca@enaj</b>',
  '<a data-reversed="ed.emca@enaj"></a>',
  '<a data-contact="jane[at]acme.de"></a>',
  '<a href="mailto:jane(at)acme.de">x</a>',
  '<a href="mailto:&amp;#106;ane&amp;#64;acme.de">x</a>',
  `<a data-x="${btoa('jane@acme.de')}"></a>`,
  `<a href="#${btoa('mailto:jane@acme.de')}"></a>`,
  `<a href="mailto:${btoa('jane@acme.de')}"></a>`,
  '<a data-mailto-token="ocknvq,lcpgBceog0fg" data-mailto-vector="2">x</a>',
  `<a href="javascript:linkTo_UnCryptMailto('ocknvq,lcpgBceog0fg');">x</a>`,
])('%s contains jane@acme.de in an attribute', (html) => {
  expect(read(html)).toEqual(['jane@acme.de']);
});

test.each([
  `document.write('jane' + '@' + 'acme.de')`,
  `document.write('<a href="mailto:jane@acme.de">')`,
  `var u = 'jane', d = "acme" + '.de'; document.write('<a href="mailto:' + u + '@' + d + '">' + u + '@' + d + '</a>')`,
  `x = ['jane', 'acme.de'].join('@')`,
  `x = String.fromCharCode(106, 97, 0x6e, 101, 64) + 'acme.de'`,
  `x = String.fromCharCode.apply(null, [106, 97, 110, 101, 64, 97, 99, 109, 101, 46, 100, 101])`,
  `var p = ['jane', 'acme', 'de']; x = p[0] + '@' + p[1] + '.' + p[2]`,
  `const p = ["jane", "acme.de"]; x = p.join("@")`,
  'const u = "jane", d = "acme.de"; x = `${u}@${d}`',
  `document.write('<n uers="znvygb:wnar@npzr.qr">'.replace(/[a-z]/gi, turn))`,
  `document.write(unescape('%6a%61ne%40acme.de'))`,
  `document.write(atob('${btoa('jane@acme.de')}'))`,
  `el.href = 'mailto:' + 'ed.emca@enaj'.split('').reverse().join('')`,
  `x = 'ja\\x6ee\\u0040' + 'acme.de'`,
  `eval(decodeURIComponent('document.write(%27jane%27%2B%27@acme.de%27)'))`,
])('the script %s produces jane@acme.de', (script) => {
  expect(read(`<script>${script}</script>`)).toEqual(['jane@acme.de']);
});

test('code in links and click handlers is read like scripts', () => {
  expect(read(`<a href="javascript:location='mai'+'lto:jane'+'@acme.de'">x</a>`)).toEqual([
    'jane@acme.de',
  ]);
  expect(read(`<a onclick="location.href='mailto:'+'jane'+'@'+'acme.de'">x</a>`)).toEqual([
    'jane@acme.de',
  ]);
});

test('page code is never executed', () => {
  const html = `<script>globalThis.wasRun = '@'; document.write((() => { globalThis.wasRun = true })())</script>`;
  read(html);
  expect('wasRun' in globalThis).toBe(false);
});

test.each([
  ['a'.repeat(2e6)],
  ['a@'.repeat(1e6)],
  ['((((at))))'.repeat(2e5)],
  ['[at] a.de '.repeat(2e5)],
  ['a [dot] '.repeat(2.5e5)],
  [' at '.repeat(5e5)],
  ['&amp;#1;'.repeat(2.5e5)],
  [`<script>@${"'a'+".repeat(7e4)}</script>`],
  [`<script>@${'unescape('.repeat(3e4)}</script>`],
  [`<script>@${'('.repeat(2.5e5)}</script>`],
  [`<script>a='@';${'a=a+a;'.repeat(4e4)}</script>`],
  [`<script>@${"'\\".repeat(1e5)}</script>`],
  [`<style>${'.a{'.repeat(1e5)}</style>`],
  ['<b>a</b>@'.repeat(2e4)],
  ['<bdo dir=rtl>'.repeat(9e3)],
  [`<a data-x="${'A'.repeat(2e6)}">`],
])('a bomb is read in time (%#)', (html) => {
  expect(cpuMsOf(() => read(html))).toBeLessThan(5_000);
});

test.each([
  '<p>jan.vos☆acme.test（☆を@に）</p>',
  '<p>jan.vos [arond] acme.test</p>',
  '<p>jan.vos /at/ acme.test</p>',
  '<p>jan.vos*acme.test</p>',
  '<p>jan.vos krøllalfa acme.test</p>',
  `<a href="javascript:mailto('jan.vos','acme.test')">Jan</a>`,
  `<a href="#" onclick="sendMail('acme.test', 'jan.vos')">Jan</a>`,
])('the domain of the site gives the address away: %s', (html) => {
  expect(read(html)).toEqual(['jan.vos@acme.test']);
});

test('at and dot in capitals are meant in any sentence', () => {
  const html = '<p>He is best reached in writing, sten AT other DOT test.</p>';
  expect(read(html)).toEqual(['sten@other.test']);
  expect(read(html.toLowerCase())).toEqual([]);
});

test.each([
  '<p>jan.vos☆other.test</p>',
  '<p>More at www.acme.test</p>',
  '<p>Read more - acme.test</p>',
  `<a href="javascript:open('page', 'acme.test', 'top')">Map</a>`,
])('other text before a domain is no address: %s', (html) => {
  expect(read(html)).toEqual([]);
});

test.each([
  '<style>.at::before{content:"@"}</style><p>jane<span class="at" aria-label="at"></span>acme.test</p>',
  '<style>p .u:after { content: "\\0040" }</style><p><span class="u">jane</span><span>acme.test</span></p>',
  '<p>jane<svg viewBox="0 0 9 9"><title>@</title><path d="M0 0"/></svg>acme.test</p>',
  '<p>jane<svg role="img" aria-label="at"><path d="M0 0"/></svg>acme.test</p>',
  '<p>jane<i class="fa fa-at"></i>acme.test</p>',
  '<td>jane@<br>acme.test</td>',
  '<td>jane@ <br>\n acme.test</td>',
  '<p>jane@acme<br>.test</p>',
])('%s draws or breaks an address', (html) => {
  expect(read(html)).toEqual(['jane@acme.test']);
});

test.each([
  '<p>Jane Doe <i class="fa fa-at"></i> acme.test</p>',
  '<p>Photos<br>@acme.test</p>',
  '<p>jane@<br>Tel. 020 7946 0101</p>',
  '<style>.dot{content:"@"}</style><p>jane<span class="dot"></span>acme.test</p>',
])('%s contains no drawn address', (html) => {
  expect(read(html)).toEqual([]);
});

test('in a sentence an address of the site’s domain may be spelled out', () => {
  expect(read('<p>Book a table: 020 7946 0101 or dine at acme dot test</p>')).toEqual([
    'dine@acme.test',
  ]);
});

test('an element of a script’s own holds an address in base64', () => {
  const code = (text: string): string => Buffer.from(text).toString('base64');
  expect(
    read(`<joomla-hidden-mail text="${code('jane@acme.test')}">x</joomla-hidden-mail>`),
  ).toEqual(['jane@acme.test']);
  expect(read(`<joomla-hidden-mail text="${code('jane doe')}">x</joomla-hidden-mail>`)).toEqual([]);
});

test('the signs are spelled out in Slovene', () => {
  expect(read('<p>jane [afna] other-museum [pika] test</p>')).toEqual(['jane@other-museum.test']);
});
