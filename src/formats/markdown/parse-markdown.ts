import { fenceAfter, type Fence } from '../../document/fence.ts'
import type { ParsedFile, ParsedText } from '../parsed-text.ts'
import { withoutComments } from './comment.ts'
import { withoutDirectives, withSymbolNames } from './docc.ts'
import { withDocstrings } from './documenter.ts'
import { withoutEditorMarks } from './editor-marks.ts'
import { toPlainMarkdown } from './markdown-text.ts'
import { hasComponents, mdxToMarkdown } from './mdx.ts'
import { findExportedValue } from './mdx-module.ts'
import { withDeclared } from './placeholder.ts'

export function parseMarkdown(text: string, file: ParsedFile): ParsedText {
  const { path, growth, lookup, titles, showsCodeMarks } = file
  const isDocc = /(?:^|\/)[^/]+\.docc\//.test(path)
  const body = isDocc ? withSymbolNames(withoutDirectives(text)) : text
  const whole = withDeclared(withDocstrings(body, { growth, lookup }), { growth, lookup })
  const code = withoutEditorMarks(withoutComments(withoutMdxFences(whole)), showsCodeMarks)
  const output = hasComponents(code)
    ? toPlainMarkdown(mdxToMarkdown(code), { hasBoxes: true, titles })
    : toPlainMarkdown(code, { titles })
  return { text: output, source: body }
}

export function parseMdx(
  text: string,
  { growth, lookup, titles, showsCodeMarks }: ParsedFile,
): ParsedText {
  const whole = withoutMdxFences(withDeclared(text, { growth, lookup }))
  const code = withoutEditorMarks(withoutComments(whole), showsCodeMarks)
  return {
    text: toPlainMarkdown(mdxToMarkdown(code), { hasBoxes: true, titles }),
    source: text,
    fallback: {
      title: findExportedValue(text, 'title'),
      description: findExportedValue(text, 'description'),
    },
  }
}

/** Removes the `mdx-code-block` fences of Docusaurus, which contain MDX. */
function withoutMdxFences(text: string): string {
  if (!text.includes('mdx-code-block')) return text
  let mark = ''
  let fence: Fence | null = null
  const lines = text.split('\n').filter((line) => {
    const opening = fence === null ? /^\s*(`{3,})mdx-code-block\s*$/.exec(line)?.[1] : undefined
    const isMark = fence === null && (mark === '' ? opening !== undefined : line.trim() === mark)
    if (isMark) mark = mark === '' ? opening! : ''
    else fence = fenceAfter(line, fence)
    return !isMark
  })
  return lines.join('\n')
}
