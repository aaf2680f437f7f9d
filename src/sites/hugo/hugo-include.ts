import { firstValue } from '../../document/attributes.ts'
import { writeTable, toCell } from '../../document/write-markdown.ts'
import { fenceCode } from '../../document/fence.ts'
import { withoutFrontBlock } from '../../formats/front-block.ts'
import type { Include, IncludeFinder } from '../../formats/include/include-file.ts'
import { parseCsvTable } from '../../formats/rst/rst-table.ts'
import { languageOfPath } from '../../document/language.ts'
import { shortcodeAt, type Shortcode } from './shortcode.ts'

/** Names of shortcodes that include the file in their argument. */
const includeName = new RegExp(
  '^(?:include(?:-?html|-?md|-?code|-?file)?|embed-?(?:md|code|yaml|file)|read-?file|rawfile' +
    '|code-?(?:new|include|file)|code_?(?:sample|file)|codenew|import|snippet|reuse' +
    '|partial|docs\\/shared|glossary[-_](?:term|definition)|table-csv|markdown)$',
  'i',
)

/** Finds include shortcodes on a line of their own. */
export const hugoInclude: IncludeFinder = (lines, { line, formatOf }): Include | null => {
  const source = lines[line] ?? ''
  const from = source.search(/\{\{[<%]/)
  if (from < 0 || source.slice(0, from).trim() !== '') return null
  const shortcode = shortcodeAt(source, from)
  if (shortcode === null || shortcode.kind === 'close') return null
  const indent = source.slice(0, from)
  if (!includeName.test(shortcode.name)) return null
  if (source.slice(shortcode.to).trim() !== '') return null
  const target = targetOf(shortcode)
  if (target === null) return null
  const isText =
    ['markdown', 'mdx', 'html', 'text'].includes(formatOf(target) ?? '') && !isCode(shortcode)
  const render = (text: string) =>
    shownLines(text, { shortcode, target, isText }).map((content) =>
      content === '' ? '' : indent + content,
    )
  const include: Include = { from: line, to: line + 1, target, render, isMarkup: isText }
  const beside = { ...include, target: `_includes/${target}` }
  return { ...include, also: [beside], isAnyOf: true }
}

function isCode({ name, args }: Shortcode): boolean {
  return args.get('code') === 'true' || /code/i.test(name)
}

function targetOf({ name, args }: Shortcode): string | null {
  const term = args.get('term_id') ?? (/^glossary/.test(name) ? args.get('0') : undefined)
  // Hugo converts terms to paths with `urlize`.
  if (term !== undefined) return `glossary/${term.toLowerCase().replace(/[\s_]+/g, '-')}.md`
  const lookup = args.get('lookup')
  if (name === 'docs/shared') return lookup === undefined ? null : `shared/${lookup}`
  const argument = firstValue(args, 'file|path|src|source|filename|name|0')
  if (argument === '' || /^https?:/.test(argument)) return null
  // The extension of a page is optional.
  return /\.[A-Za-z]\w{0,9}$/.test(argument) ? argument : `${argument}.md`
}

type Shown = { shortcode: Shortcode; target: string; isText: boolean }

function shownLines(text: string, { shortcode, target, isText }: Shown): string[] {
  const { name, args } = shortcode
  if (/\.csv$/i.test(target)) return tableOf(text)
  if (!isText) {
    const language = args.get('language') ?? args.get('lang') ?? languageOfPath(target)
    const label = /\.\w+$/.test(target) && !/^embed/i.test(name) ? [`\`${target}\``, ''] : []
    return [...label, ...fenceCode(text, language).split('\n')]
  }
  const body = withoutFrontBlock(text)
  if (!/^glossary/.test(name)) return body.trim().split('\n')
  const [short = '', rest = ''] = body.split('<!--more-->')
  const definition = args.get('length') === 'short' ? short : `${short.trim()}\n\n${rest.trim()}`
  const prepend = args.get('prepend')
  const content = definition.trim()
  return (
    prepend ? `${prepend} ${content.slice(0, 1).toLowerCase()}${content.slice(1)}` : content
  ).split('\n')
}

function tableOf(text: string): string[] {
  const rows = parseCsvTable(text, undefined)?.rows ?? []
  return writeTable(rows.map((row) => row.map(toCell))).split('\n')
}
