import type { Include, IncludeFinder } from '../include/include-file.ts'
import type { Generator } from './generator.ts'
import { rewriteMarkdown } from './markdown-lines.ts'
import { quartoToMarkdown } from './quarto/quarto-text.ts'
import { parentFolder, resolveInFolder } from './site-path.ts'

/**
 * R Markdown: the books of bookdown, with `_bookdown.yml`, and the articles of R packages, whose
 * file is `DESCRIPTION`.
 */
export const rmarkdown: Generator = {
  name: 'R Markdown',
  isSecondary: true,
  rootOf: (path) =>
    /(?:^|\/)(?:_bookdown\.yml|DESCRIPTION)$/.test(path) ? parentFolder(path) : null,
  async read({ path, text, root }) {
    if (path.endsWith('DESCRIPTION') && !/^Package:[ \t]*\w/m.test(text)) return null
    const [, list = ''] = /^rmd_files:[^\n]*((?:\n[ \t]+[^\n]*|\n[ \t]*-[^\n]*)*)/m.exec(text) ?? []
    const order = [...list.matchAll(/["']?([\w./-]+\.Rmd)["']?/gi)].flatMap(
      ([, file = '']) => resolveInFolder(root, file) ?? [],
    )
    return {
      folders: [root],
      ...(order.length > 0 && { order }),
      partials: /(?:^|\/)_[^/]+\.Rmd$/i,
    }
  },
  includes: findChild,
  sign: /\bchild\s*=/,
  toMarkup: (text, page) => quartoToMarkdown(withoutCrossReferences(text), page),
}

/** Converts references to numbered sections and figures, `\@ref(name)`, to the name. */
function withoutCrossReferences(text: string): string {
  if (!text.includes('\\@ref(')) return text
  return rewriteMarkdown(text, {
    prose: (line) =>
      line.replace(/(`[^`]*`)|\\@ref\(([\w:-]{1,200})\)/g, (_, code, name) => code ?? name),
  })
}

/** Finds cells whose content is another file: ```` ```{r, child = "part.Rmd"} ````. */
function findChild(...[lines, { line, fence }]: Parameters<IncludeFinder>): Include | null {
  if (fence !== null) return null
  const [, marks, target] =
    /^(`{3,})\{r\b[^{}]*\bchild\s*=\s*["']([^"'{}]+)["'][^{}]*\}\s*$/.exec(lines[line] ?? '') ?? []
  if (target === undefined || marks === undefined) return null
  let to = line + 1
  while (to < lines.length && !(lines[to] ?? '').startsWith(marks)) to++
  return { from: line, to: to + 1, target, render: (text) => text.split('\n'), isMarkup: true }
}
