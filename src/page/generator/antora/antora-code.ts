import type { Include, IncludeFinder } from '../../include/include.ts'
import { dedent, partOf } from '../../include/include-part.ts'
import { fenceCode } from '../../markdown/fence.ts'

/**
 * `include-code::Name[tag=x]`, as the extension of Spring reads it: the code is a file `Name.java`,
 * `Name.kt`, … in the package that the id of the section names, or that the path of the page names
 * if it begins with `./`. Each language that has the code gets a listing.
 */
export function codeInclude(...[lines, at]: Parameters<IncludeFinder>): Include | null {
  const [, name, written = ''] =
    /^include-code::([^\s[\]]+)\[([^\]]*)\]\s*$/.exec(lines[at.line] ?? '') ?? []
  if (name === undefined) return null
  const page = /(?:^|\/)modules\/[^/]+\/pages\/(.*)\.\w+$/.exec(at.site?.path ?? '')?.[1] ?? ''
  const folder = name.startsWith('./')
    ? packageOf(page.replaceAll('.', '/'))
    : packageOf(sectionId(lines, at.line).replaceAll('.', '/'))
  const path = name.replace(/^\.\//, '')
  const tag = /\btags?="?([!*\w.;,-]+)"?/.exec(written)?.[1] ?? ''
  const includes = languages.map(({ extension, language, title }): Include => {
    const target = `${folder === '' ? '' : `${folder}/`}${path}${extension}`
    const render = (text: string, limit: number) => {
      const code = taggedCode(text, tag, limit)
      if (code === null) return null
      const fence = fenceCode(withoutHead(code).join('\n'), language)
      return ['', `.${title}`, `[source,${language}]`, ...listed(fence), '']
    }
    return { from: at.line, to: at.line + 1, target, render, isMarkup: false }
  })
  const [first, ...also] = includes
  return { ...first!, also, isAnyOf: true }
}

/** A fence as a listing of AsciiDoc, whose delimiter is longer than any in the code. */
function listed(fence: string): string[] {
  const code = fence.split('\n').slice(1, -1)
  const longest = code.reduce((most, line) => {
    return Math.max(most, /^-{4,}\s*$/.test(line) ? line.trim().length : 3)
  }, 3)
  const mark = '-'.repeat(longest + 1)
  return [mark, ...code, mark]
}

const languages = [
  { extension: '.java', language: 'java', title: 'Java' },
  { extension: '.kt', language: 'kotlin', title: 'Kotlin' },
  { extension: '.groovy', language: 'groovy', title: 'Groovy' },
  { extension: '.xml', language: 'xml', title: 'XML' },
]

/** A Java package as a path: no dashes, lower case. */
function packageOf(path: string): string {
  return path.replace(/[-_]/g, '').toLowerCase()
}

/** How far above an include the id of its section is looked for, in lines. */
const sectionLines = 2000

function sectionId(lines: readonly string[], line: number): string {
  for (let at = line - 1; at >= Math.max(0, line - sectionLines); at--) {
    const id = /^\[(?:\[([\w.-]+)(?:,[^\]]*)?\]|#([\w.-]+)(?:,[^\]]*)?)\]\s*$/.exec(lines[at] ?? '')
    const isSection = id !== null && /^=+ /.test(lines[at + 1] ?? '')
    if (isSection) return id[1] ?? id[2] ?? ''
  }
  return ''
}

/** The code of a tag; `*` and '' are all of it, `!name` is all but that tag. */
function taggedCode(text: string, tag: string, limit: number): string[] | null {
  if (tag === '' || tag.startsWith('*')) return partOf(text, {}, limit)
  if (!tag.startsWith('!')) return partOf(text, { region: tag }, limit)
  const dropped: string[] = []
  let isInside = false
  for (const line of text.split('\n')) {
    if (line.includes(`tag::${tag.slice(1)}[]`)) isInside = true
    if (!isInside) dropped.push(line)
    if (line.includes(`end::${tag.slice(1)}[]`)) isInside = false
  }
  return partOf(dropped.join('\n'), {}, limit)
}

/** Code without licence header, package and marks for formatters, as the extension chomps it. */
function withoutHead(code: readonly string[]): string[] {
  let from = 0
  if (/^\s*\/\*(?!\*)/.test(code[0] ?? '')) {
    const end = code.findIndex((line) => line.includes('*/'))
    from = end < 0 ? 0 : end + 1
  }
  const shown = code.slice(from).filter((line) => !chomped.test(line))
  const first = shown.findIndex((line) => line.trim() !== '')
  return first < 0 ? [] : dedent(shown.slice(first))
}

const chomped = new RegExp(
  '^package [\\w.]+;?\\s*$|^\\s*//\\s*@(?:formatter|chomp)|^\\s*@SuppressWarnings\\(.*\\)\\s*$' +
    '|^\\s*@file:Suppress\\(',
)
