/** The pages of one documentation generator, and where on each page the main content is. */
export interface Generator {
  name: string;
  /** The Debian package that contains the pages. */
  package: string;
  folder: string;
  /** Start page, relative to the folder. */
  start: string;
  /** CSS selector of the elements that hold the text of a page. */
  content: string;
  /** Elements inside the content that are not meant to be read. */
  surplus: string;
  /** Elements that may be kept or dropped: the page's own table of contents, and marks beside headings. */
  neutral: string;
  /** Pages that repeat all others, too long to be read as one page. */
  without?: string;
}

const DOCBOOK =
  'body > :is(.sect1, .sect2, .section, .chapter, .refentry, .article, .book, .part, .set, .preface, .appendix, .reference, .index, .glossary, .bibliography, .titlepage, .colophon, .dedication, .legalnotice)';

/** Written from the generators' templates, without regard to how Millrace reads a page. */
export const GENERATORS: readonly Generator[] = [
  {
    name: 'Sphinx, Python',
    package: 'python3.11-doc',
    folder: '/usr/share/doc/python3.11/html',
    start: 'index.html',
    content: '[role=main]',
    surplus: '.headerlink',
    neutral: '',
  },
  {
    name: "Sphinx, developer's reference",
    package: 'developers-reference',
    folder: '/usr/share/developers-reference',
    start: 'index.html',
    content: '[role=main]',
    surplus: '.headerlink',
    neutral: '',
  },
  {
    name: 'DocBook, PostgreSQL',
    package: 'postgresql-doc-15',
    folder: '/usr/share/doc/postgresql-doc-15/html',
    start: 'index.html',
    content: DOCBOOK,
    surplus: '',
    neutral: '.toc',
  },
  {
    name: 'DocBook, Valgrind',
    package: 'valgrind',
    folder: '/usr/share/doc/valgrind/html',
    start: 'manual.html',
    content: DOCBOOK,
    surplus: '',
    neutral: '.toc',
  },
  {
    name: 'Publican, Debian handbook',
    package: 'debian-handbook',
    folder: '/usr/share/doc/debian-handbook/html/en-US',
    start: 'index.html',
    content: DOCBOOK,
    surplus: '',
    neutral: '.toc',
  },
  {
    name: 'Apache manual',
    package: 'apache2-doc',
    folder: '/usr/share/doc/apache2-doc/manual/en',
    start: 'index.html',
    content: '#page-content, body > #preamble, #directive-ref, #directive-list',
    surplus:
      '.toplang, .bottomlang, .lang-toggle, .permalink, .top, .commentnav, #comments_section',
    neutral: '#quickview',
  },
  {
    name: 'Node.js manual',
    package: 'nodejs-doc',
    folder: '/usr/share/doc/nodejs/api',
    start: 'index.html',
    content: '#apicontent',
    surplus: '.mark',
    neutral: '#toc, .toc',
    without: 'all.html',
  },
  {
    name: 'Texinfo, libffi',
    package: 'libffi-dev',
    folder: '/usr/share/doc/libffi8/html',
    start: 'index.html',
    content: 'body',
    surplus: '.header, .nav-panel',
    neutral: '.contents, .section-toc',
  },
  {
    name: 'Texinfo, Octave',
    package: 'octave-doc',
    folder: '/usr/share/doc/octave/octave.html',
    start: 'index.html',
    content: 'body',
    surplus: '.header, .nav-panel',
    neutral: '.contents, .section-toc, .copiable-anchor, .printindex-index-cp, .index-cp',
  },
  {
    name: 'Doxygen, libusb',
    package: 'libusb-1.0-doc',
    folder: '/usr/share/doc/libusb-1.0-doc/api-1.0',
    start: 'index.html',
    content: '.headertitle .title, .contents',
    surplus: '.permalink, a:contains("More...")',
    neutral: '.toc, .directory, .ingroups, .lineno, .levels',
  },
  {
    name: 'Javadoc, Commons IO',
    package: 'libcommons-io-java-doc',
    folder: '/usr/share/doc/libcommons-io-java/api',
    start: 'index.html',
    content: 'main',
    surplus: '',
    neutral: '.tabEnd',
  },
  {
    name: 'MkDocs',
    package: 'mkdocs-doc',
    folder: '/usr/share/doc/mkdocs/html',
    start: 'index.html',
    content: '[role=main]',
    surplus: '.headerlink',
    neutral: '',
  },
  {
    name: 'RDoc, Asciidoctor',
    package: 'asciidoctor-doc',
    folder: '/usr/share/doc/asciidoctor-doc/html',
    start: 'index.html',
    content: 'main, [role=main]',
    surplus: '.method-click-advice',
    neutral: '.method-source-code',
  },
];
