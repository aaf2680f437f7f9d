import { fenceCode } from '../../../document/fence.ts'
import type { Include, IncludeFinder } from '../../include/include.ts'
import { indentLines, linesBetween, selectPart } from '../../include/include-part.ts'
import { languageOfPath } from '../../language.ts'
import type { Generator } from '../generator.ts'
import { rewriteMarkdown } from '../markdown-lines.ts'
import { rootForFileName } from '../site-path.ts'
import { summaryNavigation } from '../summary-titles.ts'

/** Docsify: `_sidebar.md`, which lists the pages of its folder. */
export const docsify: Generator = {
  name: 'Docsify',
  rootOf: (path) => rootForFileName(path, ['_sidebar.md']),
  async read({ text, root }) {
    const { sections, titles } = summaryNavigation(text.replace(linkTitle, '$1)'), root)
    const partials = /(?:^|\/)_(?:sidebar|coverpage|navbar|footer|404)\.md$/
    return { folders: [root], bases: [root], order: [...titles.keys()], sections, partials }
  },
  includes: findEmbed,
  sign: /':include/,
  toMarkup: docsifyToMarkdown,
}

/** The title of a link after its address; Docsify's options begin with a colon. */
const linkTitle = /(\]\([^\s()]{1,500})[ \t]+["'][^"'\n]{0,200}["']\)/g
/** Group 1 is a code span, group 2 a link without its options. */
const options = /(`[^`]*`)|(\]\([^\s()]{1,500})[ \t]+["']:[^"'\n]{0,200}["']\)/g

const embed = /^(\s*)\[[^\]\n]{0,300}\]\(([^\s()]+)[ \t]+["']:include([^"'\n]*)["']\)[ \t]*$/

/** Finds `[name](path ':include :type=code js :fragment=part')`. */
function findEmbed(
  ...[lines, { line, fence, formatOf }]: Parameters<IncludeFinder>
): Include | null {
  const [, indent = '', target, written = ''] = embed.exec(lines[line] ?? '') ?? []
  if (fence !== null || target === undefined) return null
  const [, type, language] = /:type=(\w+)(?:\s+([\w+-]+))?/.exec(written) ?? []
  const format = formatOf(target)
  const isText =
    type === undefined ? ['markdown', 'text'].includes(format ?? '') : type === 'markdown'
  if (!isText && type !== undefined && type !== 'code') return null
  const name = /:fragment=([\w-]+)/.exec(written)?.[1]
  const render = (text: string, limit: number) => {
    const part = name === undefined ? selectPart(text, {}, limit) : partNamed(text, name)
    if (part === null || isText) return part
    const code = fenceCode(part.join('\n'), language ?? languageOfPath(target))
    return indentLines(code.split('\n'), indent)
  }
  return { from: line, to: line + 1, target, render, isMarkup: isText }
}

/** The lines between two marks `[name]` in comments, `/// [name]`; null if there are none. */
function partNamed(text: string, name: string): string[] | null {
  const isMark = (line: string) =>
    /^\s*(?:###|\/\/\/)\s*\[/.test(line) && line.includes(`[${name}]`)
  return linesBetween(text.split('\n'), [isMark, isMark])
}

/** Converts the callouts `?> text` and `!> text`, and removes the options of links and headings. */
function docsifyToMarkdown(text: string): string {
  return rewriteMarkdown(text, {
    prose(line) {
      const [, kind, content] = /^([?!])>[ \t]*(\S.*)$/.exec(line) ?? []
      if (content !== undefined) return `> **${kind === '?' ? 'Tip' : 'Important'}:** ${content}`
      const plain = line.includes(':')
        ? line.replace(options, (_, code, link) => code ?? `${link})`)
        : line
      if (!/^\s*#/.test(line)) return plain
      return plain.replace(
        /[ \t]+(?::id=[\w-]+|<?!?-{0,2} ?\{docsify-ignore(?:-all)?\} ?-{0,2}>?)[ \t]*$/,
        '',
      )
    },
  })
}
