import type { Include, IncludeFinder } from '../../include/include.ts'
import { linesBetween, selectPart } from '../../include/include-part.ts'
import type { Generator } from '../generator.ts'
import { fromSidebar, linkedPaths } from '../nav-order.ts'
import { resolveSubfolder, rootForFileName } from '../site-path.ts'

/** Vocs: `vocs.config.*`, with pages and snippets in the folder `rootDir`. */
export const vocs: Generator = {
  name: 'Vocs',
  rootOf: (path) =>
    rootForFileName(
      path,
      ['ts', 'tsx', 'js', 'mjs'].map((it) => `vocs.config.${it}`),
    ),
  async read({ text, root }) {
    const [, written = 'docs'] = /\brootDir\s*:\s*["'`]([^"'`$\n]{1,200})["'`]/.exec(text) ?? []
    const folder = resolveSubfolder(root, written) ?? root
    const links = linkedPaths({ text: fromSidebar(text), folders: [`${folder}/pages`] })
    return { folders: [root], bases: [folder, root], ...links }
  },
  includes: findSnippet,
  sign: /\[!include /,
  toMarkup: withPlainTitle,
}

const snippet = /^(\s*)(?:\/\/|#|<!--)\s*\[!include\s+(?:~\/)?([^\s\]:]+)(?::([\w-]+))?[^\]]*\]/

/** Finds `// [!include ~/snippets/a.ts:region]` in code. */
function findSnippet(...[lines, { line, fence }]: Parameters<IncludeFinder>): Include | null {
  if (fence === null) return null
  const [, indent = '', target, region] = snippet.exec(lines[line] ?? '') ?? []
  if (target === undefined) return null
  const render = (text: string, limit: number) => {
    const part = region === undefined ? text.trimEnd().split('\n') : regionOf(text, region)
    const shown = part && selectPart(part.join('\n'), {}, limit)
    return shown?.filter((one) => !mark.test(one)).map((one) => indent + one) ?? null
  }
  return { from: line, to: line + 1, target, render, isMarkup: false }
}

const mark = /\[!(?:end)?region\s+[\w-]+\]/

/** The lines between `[!region name]` and `[!endregion name]`, or the end; null if absent. */
function regionOf(text: string, name: string): string[] | null {
  const starts = (line: string) => line.includes(`[!region ${name}]`)
  const ends = (line: string) => line.includes(`[!endregion ${name}]`)
  const part = linesBetween(text.split('\n'), [starts, ends], true)
  while (part?.at(-1)?.trim() === '') part.pop()
  return part
}

const title = /^([ \t]*# [^\n[\]]{1,200}?)[ \t]+\[([^\n[\]]{1,500})\][ \t]*$/m

/** Separates the subtitle of `# Title [Subtitle]` at the start of a page. */
function withPlainTitle(text: string): string {
  const found = title.exec(text)
  if (found === null || /^(?:#|\s*[`~]{3})/m.test(text.slice(0, found.index))) return text
  const [whole, words = '', subtitle = ''] = found
  const after = text.slice(found.index + whole.length)
  return `${text.slice(0, found.index)}${words}\n\n${subtitle}${after}`
}
