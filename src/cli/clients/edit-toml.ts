import { OgError } from '../../platform/error.ts'
import type { EntryChange, Json } from './edit.ts'

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
 * Sets or removes tables line by line, because no package that writes TOML keeps comments. An entry
 * is replaced in place if it is a `[section.name]` table; otherwise it is appended. An entry in a
 * different form would be written wrongly or twice, so the caller must parse the result and compare
 * it.
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
    // If the table was the last one, the blank lines above it were removed as well.
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

/** Removes the table, its subtables and the blank lines after them. Comments stay. */
function withoutTable(lines: readonly string[], section: string, name: string): string[] {
  const kept: string[] = []
  let isMine = false
  let waiting: string[] = []
  for (const line of lines) {
    if (/^\s*\[/.test(line)) {
      isMine = isHeaderOf(line, section, name)
      if (!isMine) kept.push(...waiting)
      waiting = []
    }
    if (!isMine) kept.push(line)
    // A comment at the end of a table usually belongs to the next table.
    else if (/^\s*#/.test(line)) waiting.push(line)
    else if (line.trim() !== '') waiting = []
  }
  kept.push(...waiting)
  while (kept.at(-1)?.trim() === '') kept.pop()
  return kept
}

function isHeaderOf(line: string, section: string, name: string): boolean {
  const key = (word: string) => `\\s*(?:${word}|"${word}"|'${word}')\\s*`
  return new RegExp(`^\\s*\\[\\[?${key(section)}\\.${key(name)}[.\\]]`).test(line)
}
