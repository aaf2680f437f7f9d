import { indentColumns } from '../../../document/block-lines.ts'
import { parseFence } from '../../../document/fence.ts'
import type { MarkupPage, PageSite } from '../generator.ts'
import { rewriteMarkdown, type Mark, withMarks } from '../../../document/markdown-lines.ts'
import { withObjects } from './mkdocs-object.ts'

/**
 * Rewrites the syntax of MkDocs plugins to Markdown: variables, macros that show a tab, icons,
 * attribute lists, objects of mkdocstrings, and code that markdown-exec runs. The Markdown parser
 * handles admonitions and tabs.
 */
export function mkdocsToMarkdown(
  text: string,
  { site, lookup, growth }: Omit<MarkupPage, 'path'>,
): string {
  const { variables } = site
  const shown = withObjects(withoutEmptyTabs(withoutExecuted(text)), { lookup, growth, variables })
  return rewriteMarkdown(shown, {
    prose: (line) => withMarks(withVariables(line, site), marks),
    opening: (line) => line.replace(/^(\s*(?:`{3,}|~{3,})\s*[\w+-]*)[^`]*\bexec="[^`]*$/, '$1'),
    code: (line) => withVariables(line, site),
  })
}

const marks: readonly Mark[] = [
  {
    // A macro, which og cannot run, becomes its arguments: `{{ feature(beta="0.24") }}` becomes
    // `beta 0.24`. A link to one becomes its text.
    open: new RegExp(
      '(?:\\[([^[\\]]{1,300})\\]\\()?\\{\\{-?\\s?(?!\\w*(?:code|include|snippet))[a-z_]\\w{0,100}' +
        '\\(([^(){}]{0,500})\\)\\s*-?\\}\\}(?:[^\\s()]{0,300}\\))?',
    ),
    becomes: ([, words, written = '']) => {
      if (words !== undefined) return words
      if (!/^\s*(?:$|[\w-]+\s*=|["'])/.test(written)) return null
      const shown = written.matchAll(/(?:([\w-]+)\s*=\s*)?["']([^"']*)["']/g)
      return Array.from(shown, ([, key, value]) => (key ? `${key} ${value}` : value)).join(' ')
    },
  },
  // An icon of Material: `:material-api:`.
  {
    open: /:(?:material|fontawesome|octicons|simple)-[a-z0-9-]+:(?:\{[^{}\n]*\})?[ \t]*/,
    becomes: '',
  },
  { open: /\{%-?\s*(?:end)?raw\s*-?%\}/, becomes: '' },
  {
    // `{: .class }` after a word, a link or code, or on a line of its own.
    open: /(?<=^\s*|[)\]`*_\w"])\{(:?[ \t]*[^{}\n]{1,300})\}/,
    becomes: ([, list = '']) => (isAttributeList(list) ? '' : null),
  },
]

function isAttributeList(list: string): boolean {
  const items = list.replace(/^:/, '').trim()
  const isMarked = list.startsWith(':') || /^(?:\.|[\w-]+=)/.test(items)
  return isMarked && items.replace(attributeItem, '').trim() === ''
}

const attributeItem = /(?<!\S)(?:[.#]?[\w-]+|[\w-]+=(?:"[^"]*"|'[^']*'|[^\s"']*))(?!\S)/g

/** Replaces `{{ name }}` with its value in the configuration; unknown names stay. */
function withVariables(line: string, { variables }: PageSite): string {
  if (variables.size === 0 || !line.includes('{{')) return line
  return line.replace(/\{\{-?\s*([\w.-]{1,200}?)\s*-?\}\}/g, (whole, name: string) => {
    return variables.get(name) ?? whole
  })
}

/** Turns tabs without indented content into lines of text. */
function withoutEmptyTabs(text: string): string {
  if (!/^\s*===/m.test(text)) return text
  const lines = text.split('\n')
  let next = Infinity
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at]!
    const columns = indentColumns(line)
    const [, indent, title] = /^(\s*)===[!+]? +["'](.+)["']\s*$/.exec(line) ?? []
    if (title !== undefined && (next === Infinity || next < columns + 4)) {
      lines[at] = `${indent}${title}:\n`
    }
    if (columns !== Infinity) next = columns
  }
  return lines.join('\n')
}

/** Removes fences that markdown-exec runs after an earlier fence with the same code. */
function withoutExecuted(text: string): string {
  if (!/\bexec=/.test(text)) return text
  const seen = new Set<string>()
  const out: string[] = []
  let block: string[] | null = null
  let [fenceEnd, isHidden] = ['', false]
  for (const line of text.split('\n')) {
    if (block === null) {
      const fence = parseFence(line.trimStart())
      if (fence === null) {
        out.push(line)
        continue
      }
      block = [line]
      fenceEnd = fence.mark.repeat(fence.length)
      isHidden = /\bexec=["']?(?:on|true|yes|1)\b/.test(line) && !/\bsource=/.test(line)
      continue
    }
    block.push(line)
    if (line.trim() !== fenceEnd) continue
    const code = block
      .slice(1, -1)
      .map((one) => one.trim())
      .join('\n')
    if (!isHidden || !seen.has(code)) for (const one of block) out.push(one)
    seen.add(code)
    block = null
  }
  for (const one of block ?? []) out.push(one)
  return out.join('\n')
}
