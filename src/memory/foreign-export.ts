import { parseEntries } from './entry.ts'
import { exportMark, relationsMark } from './foreign-notes.ts'
import type { Triple } from './relation/relation.ts'
import { seeds } from './workspace.ts'
import type { FileEntry } from './memory-files.ts'

type ExportedNotes = { entries: readonly FileEntry[]; relations: readonly Triple[]; user: string }

/** Text by path in the exported folder. A single-file format uses the path ''. */
type ExportedFiles = Map<string, string>

type Render = (notes: ExportedNotes) => ExportedFiles | Promise<ExportedFiles>

/** Formats of other memory programs. `og memory import --from` also reads them. */
const renderers = {
  'mcp-memory': mcpMemoryLines,
  mem0: mem0Json,
  'basic-memory': basicMemoryFolder,
} satisfies Record<string, Render>
export type ExportFormat = keyof typeof renderers
export const exportFormats = Object.keys(renderers) as ExportFormat[]

export async function renderExport(
  format: ExportFormat,
  notes: ExportedNotes,
): Promise<ExportedFiles> {
  return renderers[format](notes)
}

export function exportedEntries(entries: readonly FileEntry[], day: string): FileEntry[] {
  const corrected = new Set(entries.flatMap(({ corrects }) => corrects))
  const seen = new Set(
    Object.values(seeds).flatMap((seed) => parseEntries(seed).map(({ body }) => body)),
  )
  return entries.filter(({ id, body, validFrom, validUntil }) => {
    const isNew = !seen.has(body)
    const isValid = (validFrom ?? day) <= day && (validUntil === null || day < validUntil)
    if (body === '' || !isNew || corrected.has(id) || !isValid) return false
    seen.add(body)
    return true
  })
}

/** Returns an entry's text. Includes its heading unless og generated the heading. */
export function exportedText({ heading, text, body }: FileEntry): string {
  const isSection = /^ {0,3}#{1,6}[ \t]/.test(text)
  const isWritten = /^(?:\d{4}-\d\d-\d\d )?\d\d:\d\d$/.test(heading)
  const content = isSection && !isWritten && heading !== '' ? `${heading}\n\n${body}` : body
  return content.replaceAll('\r\n', '\n')
}

/** Each entry becomes an entity. Its observations are the text and tags of the entry. */
function mcpMemoryLines({ entries, relations }: ExportedNotes): ExportedFiles {
  const uniqueName = uniqueNames()
  const entities = entries.map((entry) => {
    const content = exportedText(entry)
    const own = namedEntity(entry, content)
    const name = uniqueName(own?.name ?? titleOf(content))
    if (name === own?.name) return own
    return { name, entityType: exportMark, observations: [content, ...entry.tags] }
  })
  // The server needs an entity for each end of a relation.
  const ends = new Set(relations.flatMap(({ subject, object }) => [subject, object]))
  const names = new Set(entities.map(({ name }) => name))
  const missing = [...ends.difference(names)].map((name) => {
    return { name, entityType: exportMark, observations: [] }
  })
  const lines = [
    ...[...entities, ...missing].map((entity) => ({ type: 'entity', ...entity })),
    ...relations.map(({ subject, predicate, object }) => {
      return { type: 'relation', from: subject, to: object, relationType: predicate }
    }),
  ]
  return new Map([['', lines.map((line) => `${JSON.stringify(line)}\n`).join('')]])
}

/** Returns the MCP memory entity from which this entry was imported. */
function namedEntity({ tags }: FileEntry, content: string) {
  const [first = '', ...lines] = content.split('\n')
  const [, name, entityType] = /^([^()]{1,200}) \(([^()]{1,200})\)$/.exec(first) ?? []
  const isList = lines.length > 0 && lines.every((line) => /^- \S(?:\S| (?=\S))*$/.test(line))
  if (name?.trim() !== name || entityType?.trim() !== entityType) return null
  if (name === undefined || entityType === undefined || tags.length > 0 || !isList) return null
  return { name, entityType, observations: lines.map((line) => line.slice(2)) }
}

/** Renders entries and relations as the response of mem0's `get_all`. */
function mem0Json({ entries, relations, user }: ExportedNotes): ExportedFiles {
  const results = entries.map((entry) => ({
    id: entry.id,
    memory: exportedText(entry),
    user_id: user,
    metadata: { source: exportMark, file: entry.file },
    categories: entry.tags,
    created_at: timeOf(entry),
    updated_at: null,
  }))
  const triples = relations.map(({ subject, predicate, object }) => {
    return { source: subject, relationship: predicate, target: object }
  })
  return new Map([['', `${JSON.stringify({ results, relations: triples }, null, 2)}\n`]])
}

function timeOf({ date, time }: FileEntry): string | null {
  return date === null ? null : new Date(`${date}T${time ?? '00:00'}:00`).toISOString()
}

async function basicMemoryFolder({ entries, relations }: ExportedNotes): Promise<ExportedFiles> {
  const { stringify } = await import('yaml')
  const files: ExportedFiles = new Map()
  const uniqueName = uniqueNames()
  const add = (title: string, fields: object, body: string) => {
    const front = stringify({ title, type: 'note', source: exportMark, ...fields })
    files.set(`${uniqueName(fileNameOf(title))}.md`, `---\n${front}---\n\n${body}\n`)
  }
  for (const entry of entries) {
    const { tags, date } = entry
    const content = exportedText(entry)
    const category = categories[entry.file] ?? (entry.file.startsWith('daily/') ? 'log' : 'fact')
    const observation = [`- [${category}] ${content}`, ...tags.map((tag) => `#${tag}`)].join(' ')
    add(
      titleOf(content),
      { ...(tags.length > 0 && { tags }), ...(date !== null && { recorded: date }) },
      content.includes('\n') ? content : observation,
    )
  }
  for (const [subject, triples] of Map.groupBy(relations, (relation) => relation.subject)) {
    const lines = triples.map(
      ({ predicate, object }) => `- ${relationType(predicate)} [[${object}]]`,
    )
    add(subject, { source: relationsMark }, lines.join('\n'))
  }
  return files
}

const categories: Readonly<Record<string, string>> = {
  'USER.md': 'preference',
  'AGENTS.md': 'rule',
}

/** basic-memory requires quotes around a relation type with spaces. */
function relationType(predicate: string): string {
  return /\s|^["']/.test(predicate) ? `"${predicate}"` : predicate
}

function titleOf(content: string): string {
  const line = content.split('\n', 1)[0]!.trim()
  return line.length > 80 ? `${line.slice(0, 79).toWellFormed()}…` : line
}

/** Keeps only letters and digits, which all file systems allow, and avoids device names. */
function fileNameOf(title: string): string {
  const words = title.match(/[\p{L}\p{M}\p{N}]+/gu)?.join(' ') ?? 'note'
  const name = words.slice(0, 60).toWellFormed().trim().toLowerCase()
  return /^(?:con|prn|aux|nul|(?:com|lpt)\d)$/.test(name) ? `${name} note` : name
}

/** Returns a function that makes each name unique by appending a number to a repeated name. */
function uniqueNames(): (name: string) => string {
  const counts = new Map<string, number>()
  return (name) => {
    const key = name.toLowerCase()
    let count = (counts.get(key) ?? 0) + 1
    while (count > 1 && counts.has(`${key} ${count}`)) count++
    counts.set(key, count)
    if (count === 1) return name
    counts.set(`${key} ${count}`, 1)
    return `${name} ${count}`
  }
}
