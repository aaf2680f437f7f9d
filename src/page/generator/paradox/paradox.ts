import type { Include, IncludeFinder } from '../../include/include.ts'
import { dedent } from '../../include/include-part.ts'
import { languageOfPath } from '../../language.ts'
import { fenceCode } from '../../../document/fence.ts'
import type { Generator } from '../generator.ts'
import { paradoxToMarkdown } from './paradox-text.ts'

/** Paradox of Pekko, Akka and other Scala projects: pages in `src/main/paradox`. */
export const paradox: Generator = {
  name: 'Paradox',
  rootOf: (path) => /^((?:.*\/)?src\/main\/paradox)\/index\.md$/.exec(path)?.[1] ?? null,
  async read({ root }) {
    return { folders: [root], bases: [root] }
  },
  includes: findInclude,
  sign: /@@(?:snip|include)\b/,
  toMarkup: paradoxToMarkdown,
}

const directive =
  /^(?::?[ \t]*)@@(snip|include) ?\[[^\]]*\]\(([^)\s]+)\)[ \t]*(?:\{([^}]*)\})?[ \t]*$/

/** Finds `@@snip [Name](/src/A.scala) { #label }` and `@@include[name](part.md) { #label }`. */
function findInclude(...[lines, { line, fence }]: Parameters<IncludeFinder>): Include | null {
  if (fence !== null) return null
  const end = optionsEnd(lines, line)
  const whole = lines.slice(line, end + 1).join(' ')
  const [, name, written = '', options = ''] = directive.exec(whole) ?? []
  if (name === undefined) return null
  // `$root$` and similar variables name folders above the page.
  const target = written.replace(/^\$[\w.]+\$\/?/, '')
  const labels = [...options.matchAll(/#([\w-]+)/g)].map(([, label = '']) => label)
  const language = /\btype=([\w-]+)/.exec(options)?.[1] ?? languageOfPath(target)
  const render = (text: string) => {
    const part = labelled(text, labels)
    if (part === null || name === 'include') return part
    return ['', ...fenceCode(dedent(part).join('\n'), language).split('\n')]
  }
  return { from: line, to: end + 1, target, render, isMarkup: name === 'include' }
}

/** The line that closes the options of a directive, which may be on lines of their own. */
function optionsEnd(lines: readonly string[], line: number): number {
  if (!/@@(?:snip|include)\b[^{}]*\{[^{}]*$/.test(lines[line] ?? '')) return line
  const end = lines.slice(line, line + mostOptionLines).findIndex((it) => it.includes('}'))
  return end < 0 ? line : line + end
}

const mostOptionLines = 10

/** A label at the end of a line, which only a comment mark may follow. */
const label = /#([\w-]+)(?: +[^\w \t]*)?$/
/** A line that contains nothing but a label. */
const labelLine = /^\s*(?:(?:\/\/|\/\*|#|--|%|<!--)[-\s]*){1,2}#[\w-]+(?: +[^\w \t]*)?$/

/**
 * The lines between two equal labels, in the order of `labels`; null if a label is missing. Without
 * labels, all lines.
 */
function labelled(text: string, labels: readonly string[]): string[] | null {
  const lines = text.trimEnd().split('\n')
  if (labels.length === 0) return lines.filter((line) => !labelLine.test(line))
  const parts = labels.map((name) => {
    let isOpen = false
    const shown: string[] = []
    let isSeen = false
    for (const line of lines) {
      if (label.exec(line)?.[1] === name) [isOpen, isSeen] = [!isOpen, true]
      else if (isOpen && !labelLine.test(line)) shown.push(line)
    }
    return isSeen ? shown : null
  })
  return parts.includes(null) ? null : parts.flatMap((shown) => shown ?? [])
}
