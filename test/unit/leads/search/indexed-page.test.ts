import { describe, expect, it } from 'vitest';
import { indexedPageHtml } from '#src/leads/search/indexed-page-html.ts';
import { cpuMsOf } from '#test/support/cpu-ms.ts';

describe('an indexed page', () => {
  const html = (text: string) =>
    indexedPageHtml({ title: 'T', text, siteName: '', description: '', language: 'en' });

  it('becomes HTML in which its text contains no markup', () => {
    const made = indexedPageHtml({
      title: '</title><script>',
      text: 'a <b> & "c" [x" onclick="y](https://a.example/"><script>) <https://b.example/?a&b>',
      siteName: '"><script>',
      description: '',
      language: '"><script>',
    });
    expect(made).not.toContain('<script>');
    expect(made).toContain('a &lt;b&gt; &amp; &quot;c&quot;');
    expect(made).toContain('<a href="https://b.example/?a&amp;b">');
  });

  it('keeps its links, headings, paragraphs and lists', () => {
    const made = html(
      '# Team\n\n**Jane Doe**, see https://a.example/x.\nCall [us](tel:+4930123456)\n\n- <mailto:a@b.example>\n- [In](https://linkedin.com/in/jane "Jane")',
    );
    expect(made).toContain('<h1>Team</h1>');
    expect(made).toContain(
      '<p>Jane Doe, see <a href="https://a.example/x">https://a.example/x</a>.<br>',
    );
    expect(made).toContain('<a href="tel:+4930123456">us</a></p>');
    expect(made).toContain('<li><a href="mailto:a@b.example">mailto:a@b.example</a></li>');
    expect(made).toContain('<a href="https://linkedin.com/in/jane">In</a>');
  });

  it('is built in linear time', () => {
    for (const part of [
      '[',
      '[a](',
      '[a](https://',
      '<https://',
      'https://',
      '(',
      '\n \n',
      '# ',
      '- ',
    ]) {
      expect(
        cpuMsOf(() => html(part.repeat(500_000 / part.length))),
        part,
      ).toBeLessThan(5_000);
    }
  });
});
