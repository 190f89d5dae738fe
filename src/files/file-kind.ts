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

/** The kinds as a sentence shows them. */
export const SUPPORTED_KINDS =
  'text, Markdown, HTML, PDF, DOCX, PPTX, XLSX, CSV, TSV, EML and EPUB';
