import type { FormattingOptions } from 'jsonc-parser'
import { OgError } from '../../platform/error.ts'
import { jsonFault } from '../../platform/json-fault.ts'
import type { EntryChange, Json } from './edit.ts'

/** JSON with comments and trailing commas; an empty text is `{}`. */
export async function readJson(text: string, path: string): Promise<Json> {
  if (plainText(text).trim() === '') return {}
  const fault = await jsonFault(plainText(text), { relaxed: true })
  if (fault !== null) {
    const { line, column, what } = fault
    throw broken(`${path}:${line}:${column}`, `it is not valid JSON (${what})`)
  }
  const { parse } = await import('jsonc-parser')
  const content: unknown = parse(plainText(text))
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) {
    return content as Json
  }
  throw broken(path, 'it holds no JSON object')
}

/** Sets or removes entries of a section; the rest of the text stays byte for byte. */
export async function editJson(text: string, { section, entries }: EntryChange): Promise<string> {
  const { applyEdits, modify } = await import('jsonc-parser')
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const formattingOptions = layoutOf(text)
  let edited = plainText(text).trim() === '' ? '{}\n' : plainText(text)
  for (const [name, entry] of Object.entries(entries)) {
    const edits = modify(edited, [section, name], entry ?? undefined, { formattingOptions })
    edited = applyEdits(edited, edits)
  }
  return mark + edited
}

function plainText(text: string): string {
  return text.replace(/^\ufeff/, '')
}

/** As the file is written: its first indented line, its line ends. */
function layoutOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  '
  const insertSpaces = !indent.startsWith('\t')
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  return { insertSpaces, tabSize: insertSpaces ? indent.length : 4, eol }
}

function broken(place: string, why: string): OgError {
  return new OgError(`Cannot edit ${place}: ${why}; nothing was changed`, {
    hint: 'correct the file, then run the same command again',
  })
}
