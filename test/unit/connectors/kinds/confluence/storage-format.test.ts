import { expect, test } from 'vitest';
import { storageToMarkdown } from '#src/connectors/kinds/confluence/storage-format.ts';

const macro = (name: string, inner: string): string =>
  `<ac:structured-macro ac:name="${name}" ac:schema-version="1">${inner}</ac:structured-macro>`;
const parameter = (name: string, value: string): string =>
  `<ac:parameter ac:name="${name}">${value}</ac:parameter>`;

test('code keeps every character, even a CDATA end inside it', () => {
  const code =
    '<ac:plain-text-body><![CDATA[if (a < b && c) x("]]]]><![CDATA[>");\n\n  y]]></ac:plain-text-body>';
  expect(storageToMarkdown(macro('code', parameter('language', 'js') + code))).toBe(
    '```js\nif (a < b && c) x("]]>");\n\n  y\n```',
  );
});

test('panels, expands and user macros keep their text, and their parameters are dropped', () => {
  const body = (text: string): string => `<ac:rich-text-body><p>${text}</p></ac:rich-text-body>`;
  const storage =
    macro('info', parameter('title', 'Mind') + body(`outer${macro('expand', body('inner'))}`)) +
    macro('our-own-macro', parameter('colour', 'red') + body('kept')) +
    macro('toc', parameter('maxLevel', '3'));
  expect(storageToMarkdown(storage)).toBe('**Mind**\n\n> outer\n> \n> inner\n\nkept');
});

test('macros whose text is a parameter show it', () => {
  const file = parameter('name', '<ri:attachment ri:filename="plan.pdf" />');
  expect(
    storageToMarkdown(
      `<p>${macro('status', parameter('title', 'DONE'))} ${macro('jira', parameter('key', 'ABC-1'))} ${macro('view-file', file)}</p>`,
    ),
  ).toBe('DONE ABC-1 plan.pdf');
});

test('links, people, images, dates and emoji are converted', () => {
  const storage =
    '<p>see <ac:link><ri:page ri:content-title="Q &amp; A" /></ac:link>, ' +
    '<ac:link><ri:page ri:content-title="x" /><ac:plain-text-link-body><![CDATA[here <b>]]></ac:plain-text-link-body></ac:link>, ' +
    '<ac:link><ri:page ri:content-title="x" /><ac:link-body><strong>there</strong></ac:link-body></ac:link>' +
    '<ac:link><ri:user ri:account-id="123" /></ac:link> ' +
    '<ac:image ac:alt="A cat"><ri:attachment ri:filename="cat.png" /></ac:image> ' +
    '<time datetime="2026-01-02" /> <ac:emoticon ac:name="smile" ac:emoji-fallback="🙂" /> ' +
    'a <ac:inline-comment-marker ac:ref="1">marked</ac:inline-comment-marker> word&nbsp;&ndash; end</p>';
  expect(storageToMarkdown(storage)).toBe(
    'see Q & A, here <b>, **there** A cat 2026-01-02 🙂 a marked word\u00a0– end',
  );
});

test('tasks show their state, and tables and layouts keep their content', () => {
  const task = (status: string, text: string): string =>
    `<ac:task><ac:task-id>1</ac:task-id><ac:task-status>${status}</ac:task-status><ac:task-body><span>${text}</span></ac:task-body></ac:task>`;
  const storage =
    `<ac:task-list>${task('complete', 'one')}${task('incomplete', 'two')}</ac:task-list>` +
    '<ac:layout><ac:layout-section><ac:layout-cell><table><tbody><tr><th>A</th><th>B</th></tr>' +
    '<tr><td><p>1</p><p>2</p></td><td>x|y</td></tr></tbody></table></ac:layout-cell></ac:layout-section></ac:layout>';
  const markdown = storageToMarkdown(storage);
  expect(markdown).toMatch(/^- +☑ one\n- +☐ two/);
  expect(markdown).toContain('| A | B |\n| --- | --- |\n| 1 2 | x\\|y |');
});

test('content stored twice by the editor is shown once, in its readable form', () => {
  const storage =
    '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-attribute key="panel-type">note</ac:adf-attribute>' +
    '<ac:adf-content><p>words</p></ac:adf-content></ac:adf-node>' +
    '<ac:adf-fallback><p>words</p></ac:adf-fallback></ac:adf-extension>';
  expect(storageToMarkdown(storage)).toBe('words');
});
