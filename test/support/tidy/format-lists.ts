import ts from 'typescript'
import { formats } from '../../../src/formats/formats.ts'
import { nodes, place, type Finding, type SourceFile } from './source-file.ts'

const owner = 'src/formats/formats.ts'
const remedy = `ask ${owner}, which alone lists the extensions and media types of pages`

/**
 * Finds expressions, strings and lists that name the extensions or media types of several formats.
 */
export function formatListFindings(file: SourceFile): Finding[] {
  if (file.path === owner) return []
  return nodes(file.tree).flatMap((node) => {
    const named = formatsNamedBy(node)
    return named.size < 2
      ? []
      : [`${place(file, node)}: lists files of ${[...named].join(', ')}; ${remedy}`]
  })
}

function formatsNamedBy(node: ts.Node): Set<string> {
  if (ts.isRegularExpressionLiteral(node)) {
    return namesIn(node.text.replace(/(\w)\?/g, '$1|'), /(?<=[.|(])[a-z]+(?![a-z])/g)
  }
  if (ts.isArrayLiteralExpression(node)) {
    const strings = node.elements.filter(ts.isStringLiteralLike).map(({ text }) => text)
    // Some formats are named like their extension.
    if (strings.every((text) => text in formats)) return new Set()
    return namesIn(strings.filter((text) => /^\.?[a-z]+$/.test(text)).join(' '), /[a-z]+/g)
  }
  if (!ts.isStringLiteralLike(node)) return new Set()
  return new Set([
    ...namesIn(node.text, /(?<=(?:^|[\s,])\.)[a-z]+\b/g),
    ...Object.entries(formats).flatMap(([name, { mediaTypes }]) =>
      mediaTypes.some((type) => node.text.includes(type)) ? [name] : [],
    ),
  ])
}

/**
 * Returns the formats whose extensions are among the words of the text, without extensions that are
 * often data.
 */
function namesIn(text: string, words: RegExp): Set<string> {
  const found = new Set(text.match(words))
  return new Set(
    Object.entries(formats).flatMap(([name, { extensions, marked }]) =>
      extensions.some(
        (extension) => found.has(extension.slice(1)) && !marked?.extensions.includes(extension),
      )
        ? [name]
        : [],
    ),
  )
}
