/**
 * The content of a document as plain data, with mdast's names where possible. Parsers return
 * blocks, and `writeMarkdown` writes them. The writer escapes strings.
 */
export type DocumentBlock =
  | { type: 'heading'; depth: number; children: Inlines }
  | { type: 'paragraph'; children: Inlines }
  | { type: 'code'; lang: string; value: string }
  | { type: 'blockquote'; children: DocumentBlocks }
  /** `start` is the first number, or null for a bullet list. Each item is a list of blocks. */
  | { type: 'list'; start: number | null; items: readonly DocumentBlocks[] }
  /** Rows of cells. If `hasHeader` is false, the first row belongs to the body. */
  | { type: 'table'; rows: readonly (readonly Inlines[])[]; hasHeader: boolean }
  /** A note or tab. */
  | { type: 'box'; title: Inlines; children: DocumentBlocks }
  | Markdown

export type Inline =
  | string
  | { type: 'emphasis' | 'strong' | 'delete'; children: Inlines }
  | { type: 'inlineCode'; value: string }
  | { type: 'link'; url: string; children: Inlines }
  | { type: 'break' }
  | Markdown

/** Markdown source, which the writer copies. */
export type Markdown = { type: 'markdown'; value: string }

export type DocumentBlocks = readonly DocumentBlock[]
export type Inlines = readonly Inline[]
