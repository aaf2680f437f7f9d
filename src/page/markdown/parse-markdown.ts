import type { ParsedFile, ParsedText } from '../parsed-text.ts'
import { withoutComments } from './comment.ts'
import { withDocstrings } from './documenter.ts'
import { withoutEditorMarks } from './editor-marks.ts'
import { toPlainMarkdown } from './markdown-text.ts'
import { hasComponents, mdxToMarkdown } from './mdx.ts'
import { findExportedValue } from './mdx-module.ts'
import { withDeclared } from './placeholder.ts'

export function parseMarkdown(text: string, { growth, lookup, titles }: ParsedFile): ParsedText {
  const whole = withDeclared(withDocstrings(text, { growth, lookup }), { growth, lookup })
  const code = withoutEditorMarks(withoutComments(whole))
  const shown = hasComponents(code)
    ? toPlainMarkdown(mdxToMarkdown(code), { hasBoxes: true, titles })
    : toPlainMarkdown(code, { titles })
  return { text: shown, written: text }
}

export function parseMdx(text: string, { growth, lookup, titles }: ParsedFile): ParsedText {
  const code = withoutEditorMarks(withoutComments(withDeclared(text, { growth, lookup })))
  return {
    text: toPlainMarkdown(mdxToMarkdown(code), { hasBoxes: true, titles }),
    written: text,
    fallback: {
      title: findExportedValue(text, 'title'),
      description: findExportedValue(text, 'description'),
    },
  }
}
