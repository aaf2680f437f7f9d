import { replaceOutsideCode } from '../../document/code-span.ts'
import { wordSet } from '../../document/word-set.ts'
import { isNoteName } from '../../document/note-names.ts'
import { parseAttributes } from '../../document/attributes.ts'
import { toTitle, indentColumns } from '../../document/block-lines.ts'
import type { Container } from './container.ts'

/** A container and its opening lines. */
export type MdcContainer = {
  container: Container
  /** The first line after the opening line and the properties. */
  next: number
  /** The number of columns by which the content is indented more than the opening line. */
  indent: number
}

/**
 * Reads the container `::name[label]{key="value"}` that line `at` opens; its properties may be YAML
 * between two lines `---`. Null if the line opens none. `line` is the line without the indentation
 * of the enclosing blocks. Three colons also open containers of other dialects, except inside an
 * MDC container.
 */
export function parseMdc(
  lines: readonly string[],
  { at, line, isInside }: { at: number; line: string; isInside: boolean },
): MdcContainer | null {
  const [, marks = '', name, label, braces = ''] =
    /^\s*(:{2,})([a-z][\w-]*)(?:\[([^\]]*)\])?(?:\{([^{}]*)\})?\s*$/.exec(line) ?? []
  if (name === undefined) return null
  const properties = parseAttributes(braces)
  const next = yamlEnd(lines, at + 1, properties)
  if (marks.length > 2 && !isInside && next === at + 1 && !braces.includes('=')) return null
  let first = next
  while (lines[first]?.trim() === '') first++
  const columns = indentColumns(lines[first] ?? '')
  const more = columns === Infinity ? 0 : columns - indentColumns(lines[at] ?? '')
  const replacement = replacementOf(name, label, properties)
  return {
    container: {
      ...replacement,
      closer: marks,
      isSlotted: true,
      isCodeGroup: name === 'code-group' || name === 'code-tree',
    },
    next,
    indent: Math.max(0, more),
  }
}

/** Adds YAML properties between two lines `---` to `properties`. Returns the next line. */
function yamlEnd(lines: readonly string[], at: number, properties: Map<string, string>): number {
  if (lines[at]?.trim() !== '---') return at
  const length = lines.slice(at + 1, at + 1 + yamlLines).findIndex((line) => line.trim() === '---')
  if (length < 0) return at
  for (const line of lines.slice(at + 1, at + 1 + length)) {
    const [, key, value = ''] = /^\s*([\w-]+):\s*(.*)$/.exec(line) ?? []
    if (key !== undefined) properties.set(key, value.trim().replace(/^(["'])(.*)\1$/, '$2'))
  }
  return at + length + 2
}

/** Maximum number of lines of a component's properties. */
const yamlLines = 50

const titled = wordSet('card accordion-item tabs-item tab step collapsible details page-card')

function replacementOf(
  name: string,
  label: string | undefined,
  properties: ReadonlyMap<string, string>,
): Pick<Container, 'replacement' | 'isLine'> {
  const named = ['title', 'label', 'name'].map((key) => properties.get(key)).find(Boolean)
  const title = label ?? named ?? ''
  const target = properties.get('to') ?? properties.get('href') ?? ''
  if (name === 'read-more')
    return { replacement: `Read more: ${linked(title, target)}`, isLine: true }
  if (name === 'field') {
    const field = [`\`${title}\``, properties.get('type')].filter(Boolean).join(' ')
    return { replacement: field, isLine: true }
  }
  if (/tab/.test(name) && title !== '') return { replacement: `${title}:` }
  const plain = title || (isNoteName(name) ? toTitle(name) : '')
  if (plain === '') return { replacement: '' }
  const words = target === '' ? plain : linked(plain, target)
  return {
    replacement: `**${words}**`,
    ...(titled.has(name) || isNoteName(name) ? {} : { isLine: true }),
  }
}

function linked(label: string, target: string): string {
  const words = label || target
  return target === '' ? words : `[${words}](${target})`
}

const inlineSign = /:[a-z][\w-]*(?:\[[^[\]]*\])?\{|[\])`]\{/

/**
 * Removes inline components and attributes from a line: `:badge[v4]{color="x"}` → `v4`, ``
 * `code`{lang="ts"} `` → `` `code` ``, `[text](url){.button}` → `[text](url)`. Code spans stay
 * unchanged.
 */
export function removeInlineMdc(line: string): string {
  if (!line.includes('{') || !inlineSign.test(line)) return line
  return replaceOutsideCode(line, inline, ([, name, label, braces = '', words = '']) =>
    name === undefined ? words : inlineText(name, label, braces),
  )
}

const attribute = '(?:[.#][\\w.#-]+|[\\w:-]+=(?:"[^"{}]*"|\'[^\'{}]*\'|[^\\s"\'{}]+))'
const attributes = `\\{:?[ \\t]*${attribute}(?:[ \\t]+${attribute})*[ \\t]*\\}`

const inline = new RegExp(
  `(?<![\\w:/\\\\]):([a-z][\\w-]*)(?:\\[([^\\[\\]]*)\\])?(${attributes})` +
    `|(?<!\\\\)\\[([^\\[\\]]+)\\]${attributes}` +
    `|(?<=[)\`])${attributes}`,
  'g',
)

function inlineText(name: string, label: string | undefined, braces: string): string {
  const properties = parseAttributes(braces)
  const target = properties.get('to') ?? properties.get('href') ?? ''
  const keys = ['title', 'label', 'value', 'text', 'name']
  const words = label ?? keys.map((key) => properties.get(key)).find(Boolean) ?? ''
  if (name === 'read-more') return `Read more: ${linked(words, target)}`
  if (name === 'icon' || (words === '' && target === '')) return ''
  return linked(words, target)
}

/** Whether a line names the component slot that the lines below it fill: `#title`. */
export function isSlotMark(line: string): boolean {
  return /^\s*#[a-z][\w-]*\s*$/.test(line)
}
