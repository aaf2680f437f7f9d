import { isRecord, jsonFault } from '../../platform/json.ts'
import { OgError } from '../../platform/error.ts'
import type { FormattingOptions } from 'jsonc-parser'

export type Json = Record<string, unknown>

export type EntryChange = { section: string; entries: Readonly<Record<string, Json | null>> }

type SettingsDocument = { path: string; format: 'json' | 'toml'; text: string }

export async function readSection(document: SettingsDocument, section: string): Promise<Json> {
  const content = await read(document)
  const value = content[section] ?? {}
  if (isRecord(value)) return value
  throw refusal(document, `its "${section}" is not an object`)
}

/**
 * Applies a change and keeps everything else, including comments and layout. Parses the result and
 * compares it with the expected content.
 */
export async function editText(document: SettingsDocument, change: EntryChange): Promise<string> {
  const before = await read(document)
  const edit = document.format === 'json' ? editJson : editToml
  const text = await edit(document.text, change)
  const after = await read({ ...document, text }).catch(() => null)
  const goal = expectedSection(before, change)
  if (after !== null && Bun.deepEquals(withoutEmpty(after, change), goal)) return text
  throw refusal(document, `its "${change.section}" cannot be changed without changing the rest`)
}

async function read({ path, format, text }: SettingsDocument): Promise<Json> {
  return format === 'json' ? readJson(text, path) : readToml(text, path)
}

function expectedSection(before: Json, { section, entries }: EntryChange): Json {
  const inside = { ...(before[section] as Json | undefined) }
  for (const [name, entry] of Object.entries(entries)) {
    if (entry === null) delete inside[name]
    else inside[name] = entry
  }
  return withoutEmpty({ ...before, [section]: inside }, { section })
}

/** Removes an empty section, which has no meaning and no TOML form. */
function withoutEmpty(content: Json, { section }: Pick<EntryChange, 'section'>): Json {
  const { [section]: inside, ...rest } = content
  return isRecord(inside) && Object.keys(inside).length > 0 ? content : rest
}

function refusal({ path }: SettingsDocument, why: string): OgError {
  return new OgError(`Cannot edit ${path}: ${why}; nothing was changed`, {
    hint: '"og install-mcp" prints the entry to add manually',
  })
}

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
  throw brokenJson(path, 'it is not a JSON object')
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
 * Removes a property with one comma, and its lines if they contain nothing else. jsonc-parser's own
 * removal would also delete adjacent comments.
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

export async function readToml(text: string, path: string): Promise<Json> {
  const { parse, TomlError } = await import('smol-toml')
  return Promise.try(() => parse(text.replace(/^\ufeff/, ''))).catch((error: unknown) => {
    const place = error instanceof TomlError ? `${path}:${error.line}:${error.column}` : path
    const why = String((error as Error).message).split('\n')[0]
    throw new OgError(`Cannot edit ${place}: it is not valid TOML (${why}); nothing was changed`, {
      hint: 'correct the file, then run the same command again',
      cause: error,
    })
  })
}

/**
 * Sets or removes tables line by line, because TOML packages do not keep comments. Replaces a
 * `[section.name]` table in place, or else appends a table. Other forms of an entry are not
 * recognized, so the caller must parse and compare the result.
 */
export async function editToml(text: string, { section, entries }: EntryChange): Promise<string> {
  const { stringify } = await import('smol-toml')
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  let lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
  for (const [name, entry] of Object.entries(entries)) {
    const at = firstLine(lines, section, name)
    lines = withoutTable(lines, section, name)
    if (entry === null) continue
    const table = stringify({ [section]: { [name]: entry } })
      .trimEnd()
      .split('\n')
    // Removal of the last table also removed the blank lines above it.
    const isNew = at === null || at > lines.length
    if (isNew) lines = [...lines, ...(lines.length > 0 ? [''] : []), ...table]
    else lines.splice(at, 0, ...table, ...(lines[at] === undefined ? [] : ['']))
  }
  return lines.length === 0 ? '' : lines.join(eol) + eol
}

function firstLine(lines: readonly string[], section: string, name: string): number | null {
  const at = lines.findIndex((line) => isHeaderOf(line, section, name))
  return at === -1 ? null : at
}

/** Removes the table, its subtables and the blank lines after them. Keeps comments. */
function withoutTable(lines: readonly string[], section: string, name: string): string[] {
  const rest: string[] = []
  let isMine = false
  let waiting: string[] = []
  for (const line of lines) {
    if (/^\s*\[/.test(line)) {
      isMine = isHeaderOf(line, section, name)
      if (!isMine) rest.push(...waiting)
      waiting = []
    }
    if (!isMine) rest.push(line)
    // A comment at the end of a table usually belongs to the next table.
    else if (/^\s*#/.test(line)) waiting.push(line)
    else if (line.trim() !== '') waiting = []
  }
  rest.push(...waiting)
  while (rest.at(-1)?.trim() === '') rest.pop()
  return rest
}

function isHeaderOf(line: string, section: string, name: string): boolean {
  const key = (word: string) => `\\s*(?:${word}|"${word}"|'${word}')\\s*`
  return new RegExp(`^\\s*\\[\\[?${key(section)}\\.${key(name)}[.\\]]`).test(line)
}
