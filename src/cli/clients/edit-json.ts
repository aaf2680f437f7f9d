import type { FormattingOptions } from 'jsonc-parser'
import { OgError } from '../../platform/error.ts'
import { jsonFault } from '../../platform/json-fault.ts'
import type { EntryChange, Json } from './edit.ts'

export async function readJson(text: string, path: string): Promise<Json> {
  if (plainText(text).trim() === '') return {}
  const fault = await jsonFault(plainText(text), { relaxed: true })
  if (fault !== null) {
    const { line, column, what } = fault
    throw brokenJson(`${path}:${line}:${column}`, `it is not valid JSON (${what})`)
  }
  const { parse } = await import('jsonc-parser')
  const content: unknown = parse(plainText(text))
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) {
    return content as Json
  }
  throw brokenJson(path, 'it holds no JSON object')
}

export async function editJson(text: string, { section, entries }: EntryChange): Promise<string> {
  const { applyEdits, modify } = await import('jsonc-parser')
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const formattingOptions = layoutOf(text)
  let edited = plainText(text).trim() === '' ? '{}\n' : plainText(text)
  for (const [name, entry] of Object.entries(entries)) {
    const path = [section, name]
    edited =
      entry === null
        ? await withoutProperty(edited, path)
        : applyEdits(edited, modify(edited, path, entry, { formattingOptions }))
  }
  return mark + edited
}

/**
 * Removes a property with one comma, and its lines if nothing else is on them. jsonc-parser's own
 * removal would also delete comments next to the property.
 */
async function withoutProperty(text: string, path: string[]): Promise<string> {
  const { createScanner, findNodeAtLocation, parseTree } = await import('jsonc-parser')
  const tree = parseTree(text, [], { allowTrailingComma: true })
  const property = tree && findNodeAtLocation(tree, path)?.parent
  const siblings = property?.parent?.children
  if (!property || !siblings) return text
  const commaAfter = (node: { offset: number; length: number } | undefined): number | null => {
    if (node === undefined) return null
    const scanner = createScanner(text, true)
    scanner.setPosition(node.offset + node.length)
    scanner.scan()
    const at = scanner.getTokenOffset()
    return text[at] === ',' ? at : null
  }
  const end = property.offset + property.length
  const next = commaAfter(property)
  const last = next === null ? commaAfter(siblings[siblings.indexOf(property) - 1]) : null
  const above =
    last === null
      ? text.slice(0, property.offset)
      : text.slice(0, last) + text.slice(last + 1, property.offset)
  const below = next === null ? text.slice(end) : text.slice(end, next) + text.slice(next + 1)
  const isAlone = /\n[ \t]*$/.test(above) && /^[ \t]*\r?\n/.test(below)
  if (isAlone) return above.replace(/[ \t]+$/, '') + below.replace(/^[ \t]*\r?\n/, '')
  return last === null ? above + below.replace(/^[ \t]+/, '') : above.replace(/[ \t]+$/, '') + below
}

function plainText(text: string): string {
  return text.replace(/^\ufeff/, '')
}

function layoutOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  '
  const insertSpaces = !indent.startsWith('\t')
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  return { insertSpaces, tabSize: insertSpaces ? indent.length : 4, eol }
}

function brokenJson(place: string, why: string): OgError {
  return new OgError(`Cannot edit ${place}: ${why}; nothing was changed`, {
    hint: 'correct the file, then run the same command again',
  })
}
