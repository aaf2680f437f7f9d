import { directiveOf } from '../markdown/myst.ts'
import { indentOf } from '../../document/block-lines.ts'
import type { Include, IncludeFinder } from './include-file.ts'
import { indentLines, selectPart, type IncludePart } from './include-part.ts'
import { languageOfPath } from '../../document/language.ts'

/** Finds `.. literalinclude:: path` and `.. include:: path` with their option lines. */
export const rstInclude: IncludeFinder = (lines, { line }) => {
  const source = lines[line] ?? ''
  const [, indent = '', name, target] =
    /^(\s*)\.\. (literalinclude|include)::[ \t]+(\S+)[ \t]*$/.exec(source) ?? []
  if (name === undefined || target === undefined || /^<.*>$/.test(target)) return null
  let to = line + 1
  while (isOption(lines[to], indent.length)) to++
  const { options } = directiveOf(name, target, lines.slice(line + 1, to))
  const part = includePartFromOptions(options)
  const isCode = name === 'literalinclude' || options.has('literal') || options.has('code')
  const at = { from: line, to, target }
  if (!isCode) return { ...at, render: textIn(indent, part), isMarkup: true }
  const language = options.get('language') ?? options.get('code') ?? languageOfPath(target)
  return { ...at, render: codeIn(indent, { part, language, options }), isMarkup: false }
}

/** Returns the part of a file that the options of `literalinclude` or `include` select. */
export function includePartFromOptions(options: ReadonlyMap<string, string>): IncludePart {
  const names = {
    lines: 'lines',
    startAfter: 'start-after',
    startAt: 'start-at',
    endBefore: 'end-before',
    endAt: 'end-at',
    pyobject: 'pyobject',
  } as const
  const part: IncludePart = {}
  for (const [key, option] of Object.entries(names)) {
    const value = options.get(option)
    if (value) part[key as keyof typeof names] = value
  }
  // In docutils, these lines are 0-based, and the end is exclusive.
  const first = options.get('start-line')
  const last = options.get('end-line')
  if (first || last) part.lines = `${Number(first ?? 0) + 1}-${last ?? ''}`
  return part
}

function isOption(line: string | undefined, indent: number): boolean {
  return line !== undefined && indentOf(line) > indent && /^\s*:[\w-]+:(?:\s|$)/.test(line)
}

function textIn(indent: string, part: IncludePart): Include['render'] {
  return (text, limit) => {
    const lines = selectPart(text, part, limit)
    return lines && ['', ...indentLines(lines, indent), '']
  }
}

function codeIn(
  indent: string,
  {
    part,
    language,
    options,
  }: { part: IncludePart; language: string; options: ReadonlyMap<string, string> },
): Include['render'] {
  return (text, limit) => {
    const lines = selectPart(text, part, limit)
    if (lines === null || lines.every((line) => line.trim() === '')) return null
    const caption = options.get('caption')
    const head = [`${indent}.. code-block:: ${language}`.trimEnd()]
    if (caption) head.push(`${indent}   :caption: ${caption}`)
    return [...head, '', ...indentLines(lines, `${indent}    `), '']
  }
}
