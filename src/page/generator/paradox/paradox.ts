import type { Include, IncludeFinder } from '../../include/include.ts'
import { dedent } from '../../include/include-part.ts'
import { languageOfPath } from '../../language.ts'
import { fenceCode } from '../../markdown/fence.ts'
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
  const [, name, written = '', options = ''] = directive.exec(lines[line] ?? '') ?? []
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
  return { from: line, to: line + 1, target, render, isMarkup: name === 'include' }
}

const label = /^\s*(?:(?:\/\/|\/\*|#|--|%|<!--)[-\s]*){1,2}#([\w-]+)(?=\s|$|\*|-->)/

/** The lines between two equal labels; null if a label is missing. Without labels, all lines. */
function labelled(text: string, labels: readonly string[]): string[] | null {
  const lines = text.trimEnd().split('\n')
  if (labels.length === 0) return lines.filter((line) => !label.test(line))
  const [open, seen] = [new Set<string>(), new Set<string>()]
  const shown: string[] = []
  for (const line of lines) {
    const name = label.exec(line)?.[1]
    if (name === undefined) {
      if (open.size > 0) shown.push(line)
    } else if (labels.includes(name)) {
      seen.add(name)
      if (!open.delete(name)) open.add(name)
    }
  }
  return labels.every((name) => seen.has(name)) ? shown : null
}
