import type { DocumentBlock, Inline, Inlines, Markdown } from './tree.ts'

export const heading = (depth: number, children: Inlines): DocumentBlock => ({
  type: 'heading',
  depth,
  children,
})
export const paragraph = (...children: Inline[]): DocumentBlock => ({ type: 'paragraph', children })
export const code = (value: string, lang = ''): DocumentBlock => ({ type: 'code', lang, value })
export const inlineCode = (value: string): Inline => ({ type: 'inlineCode', value })
export const strong = (...children: Inline[]): Inline => ({ type: 'strong', children })
export const emphasis = (...children: Inline[]): Inline => ({ type: 'emphasis', children })
export const link = (url: string, children: Inlines = []): Inline => ({
  type: 'link',
  url,
  children,
})
export const markdown = (value: string): Markdown => ({ type: 'markdown', value })
