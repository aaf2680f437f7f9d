import { summaryNavigation } from './nav-order.ts'
import { fenceCode } from '../document/fence.ts'
import type { Include, IncludeFinder } from '../formats/include/include-file.ts'
import { missingPartLine } from '../document/not-found.ts'
import { indentLines, selectPart, type IncludePart } from '../formats/include/include-part.ts'
import { languageOfPath } from '../document/language.ts'
import type { Generator } from './generator.ts'
import { parseAttributes } from '../document/attributes.ts'
import { rewriteMarkdown } from '../document/markdown-lines.ts'
import { resolveSubfolder, resolveInFolder, rootForFileName } from './site-path.ts'

/** mdBook: `book.toml`, and `SUMMARY.md` with all pages of the book. */
export const mdbook: Generator = {
  name: 'mdBook',
  rootOf: (path) => rootForFileName(path, ['book.toml']),
  async read({ text, root }, read) {
    const [, folder = 'src'] = /^[ \t]*src[ \t]*=[ \t]*["']([^"'\n]*)["']/m.exec(text) ?? []
    const source = resolveSubfolder(root, folder)
    if (source === null) return null
    const summaryPath = resolveInFolder(source, 'SUMMARY.md')!
    const summary = await read(summaryPath)
    if (summary === null) return { folders: [source] }
    const { titles, sections } = summaryNavigation(summary, source)
    const pages = titles.size === 0 ? {} : { pages: [...titles.keys()] }
    return { folders: [source], titles, sections, ...pages }
  },
  includes: findInclude,
  sign: /\{\{\s*#/,
  toMarkup: bookText,
}

const directive =
  /^(\s*)\{\{\s*#(include|rustdoc_include|playground|playpen|template)\s([^}]*)\}\}\s*$/

/** Finds `{{#include file.rs:2:10}}` and its variants on a separate line. */
function findInclude(...[lines, { line, formatOf }]: Parameters<IncludeFinder>): Include | null {
  const [, indent = '', name, options = ''] = directive.exec(lines[line] ?? '') ?? []
  if (name === undefined) return null
  const [source = '', ...others] = options.trim().split(/\s+/)
  const [target = '', ...range] = source.split(':')
  if (target === '') return null
  const isPlayground = name.startsWith('play')
  const isMarkup = !isPlayground && ['markdown', 'mdx'].includes(formatOf(target) ?? '')
  const values = name === 'template' ? others.join(' ') : ''
  const render = (text: string, limit: number): string[] | null => {
    const part = selectPart(text, bookPart(range), limit)
    if (part === null) return null
    if (isPlayground) return fenceCode(part.join('\n'), languageOfPath(target)).split('\n')
    const content = values === '' ? part : withValues(part, values, limit)
    return indentLines(content, indent)
  }
  return { from: line, to: line + 1, target, render, isMarkup }
}

/** Selects the lines for `:2`, `:2:`, `::10`, `:2:10` or `:anchor`, without anchor marks. */
function bookPart(range: readonly string[]): IncludePart {
  const [first = '', last] = range
  const part = { marks: [anchor], keepsIndent: true }
  if (first !== '' && !/^\d+$/.test(first)) return { ...part, region: first }
  if (range.length === 0) return part
  return { ...part, lines: last === undefined ? first : `${first || 1}-${last}` }
}

const anchor = /ANCHOR(?<end>_END)?:\s*(?<name>[\w-]+)/

/** Replaces `[[#name]]` and `[[#name default]]` in a template with values from `name=value`. */
function withValues(lines: string[], source: string, limit: number): string[] {
  const values = new Map<string, string>()
  for (const [, name = '', value = ''] of source.matchAll(/([\w-]+)=(\S+)/g)) {
    values.set(name, value)
  }
  const hole = /\[\[#\s*([\w-]+)(?:\s+([^[\]\n]*))?\]\]/g
  let left = limit
  return lines.map((line) =>
    line.replace(hole, (whole, name: string, other = '') => {
      const value = values.get(name) ?? other.trim()
      left -= value.length
      return left < 0 ? whole : value
    }),
  )
}

/**
 * Removes hidden lines of Rust code, options after a fence's language, and `{{#title}}`. Replaces
 * `<Listing>` in the Rust books with its file name, code and caption.
 */
function bookText(text: string): string {
  let caption = ''
  return rewriteMarkdown(text, {
    prose(line) {
      const [, before, attributes] = /^([\s>]*)<Listing\b([^]*)>\s*$/.exec(line) ?? []
      if (attributes !== undefined) {
        const listing = parseAttributes(attributes)
        caption = [listing.has('number') ? `Listing ${listing.get('number')}` : '']
          .concat(listing.get('caption') ?? '')
          .filter((part) => part !== '')
          .join(': ')
        const file = listing.get('file-name') ?? ''
        return before + (file === '' ? '' : `Filename: ${file}\n${before}`)
      }
      const [, quote] = /^([\s>]*)<\/Listing>\s*$/.exec(line) ?? []
      if (quote !== undefined)
        return quote + (caption === '' ? '' : `\n${quote}${caption}\n${quote}`)
      // The id of a rule in the Rust Reference is not visible on its site.
      if (/^r\[[\w.-]+\][ \t]*$/.test(line)) return null
      if (!line.includes('{{#')) return line
      return line.replace(inline, (whole, name: string, rest: string) => {
        if (whole[0] === '\\') return whole.slice(1)
        return name === 'title' ? '' : missingPartLine(rest.trim().split(/[\s:]/)[0] ?? '')
      })
    },
    opening: (line, options) =>
      /^[\w+-]+,/.test(options)
        ? line.slice(0, line.indexOf(options)) + options.split(',')[0]
        : line,
    code(line, options) {
      if (line.includes('\\{{#')) return line.replaceAll('\\{{#', '{{#')
      if (!/^rust\b/.test(options)) return line
      if (/^\s*#(?: |$)/.test(line)) return null
      return line.replace(/^(\s*)##/, '$1#')
    },
  })
}

const inline = /\\?\{\{#(\w+)\s([^{}]*)\}\}/g
