export type FileKind =
  | 'pdf'
  | 'docx'
  | 'pptx'
  | 'xlsx'
  | 'epub'
  | 'eml'
  | 'html'
  | 'csv'
  | 'tsv'
  | 'markdown'
  | 'text';

/** The kinds as text for messages. */
export const SUPPORTED_KINDS =
  'text, Markdown, HTML, PDF, DOCX, PPTX, XLSX, CSV, TSV, EML and EPUB';
