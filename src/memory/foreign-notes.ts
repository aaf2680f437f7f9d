import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, extname, join, relative } from 'node:path'
import { objectOf, parseJsonOr, parseJsonOrUndefined } from '../platform/json.ts'
import { fenceAfter, type Fence } from '../document/fence.ts'
import { messageOf, OgError } from '../platform/error.ts'
import { readTextFile } from '../platform/file/read-file.ts'
import { notesOfPrompt } from './capture/session-notes.ts'

type ForeignNotes = {
  entries: { content: string; tags: string[] }[]
  relations: { subject: string; predicate: string; object: string }[]
  /** Parts of the source that were skipped, with reasons. */
  skipped: string[]
}

/** The formats of other memory programs that og reads. */
export const foreignFormats = ['mcp-memory', 'mem0', 'markdown', 'chatgpt', 'claude'] as const
export type ForeignFormat = (typeof foreignFormats)[number]

/** Marks files that og exported. Their text is imported unchanged. */
export const exportMark = 'og'
/** Marks an exported file that contains relations. */
export const relationsMark = 'og relations'

const maxFiles = 10_000
const maxDepth = 20

/**
 * Reads the JSON lines of the MCP memory server, the JSON of mem0 or OpenMemory, the conversations
 * or memories in a ChatGPT or Claude export, or a folder of Markdown files, such as an Obsidian
 * vault or a basic-memory project.
 * @throws OgError if the source is unreadable or has a different format
 */
export async function readForeignNotes(path: string, format: ForeignFormat): Promise<ForeignNotes> {
  if (format === 'markdown') return readMarkdownFolder(path)
  const text = await readTextFile(path, { limitMb: 256 }).catch((cause) => {
    throw new OgError(`Cannot read ${path}: ${messageOf(cause)}`, { cause })
  })
  const parsed = () =>
    parseJsonOr(text, (_, cause) => new OgError(`Cannot import ${path}: it is not JSON`, { cause }))
  const notes = format === 'mcp-memory' ? mcpMemoryNotes(text) : readers[format](parsed())
  if (notes.entries.length + notes.relations.length > 0) return notes
  throw new OgError(`Cannot import ${path}: it has no notes in the format "${format}"`)
}

const readers = { mem0: mem0Notes, chatgpt: chatGptNotes, claude: claudeNotes }

const textsOf = (value: unknown): string[] =>
  listOf(value).map((it) => textOf(it) || textOf(objectOf(it).name))

/** Makes one entry from each entity and its observations. */
function mcpMemoryNotes(text: string): ForeignNotes {
  const notes: ForeignNotes = { entries: [], relations: [], skipped: [] }
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const item = objectOf(parseJsonOrUndefined(line))
    const name = textOf(item.name)
    if (item.type === 'entity' && name !== '') {
      const kind = textOf(item.entityType)
      if (kind === exportMark) {
        const [content = '', ...tags] = textsOf(item.observations)
        if (content !== '') notes.entries.push({ content: withoutHeadings(content), tags })
        continue
      }
      const head = kind === '' ? name : `${name} (${kind})`
      const lines = textsOf(item.observations).filter((it) => it !== '')
      const content = [head, ...lines.map((it) => `- ${oneLine(it)}`)].join('\n')
      notes.entries.push({ content, tags: [] })
    } else if (item.type === 'relation') {
      addRelation(notes, [item.from, item.relationType, item.to], `line ${at + 1}`)
    } else notes.skipped.push(`line ${at + 1}: neither an entity nor a relation`)
  }
  return notes
}

function addRelation(notes: ForeignNotes, parts: unknown[], where: string): void {
  const [subject = '', predicate = '', object = ''] = parts.map(textOf)
  if (subject === '' || predicate === '' || object === '') {
    notes.skipped.push(`${where}: a part of the relation is missing`)
  } else notes.relations.push({ subject, predicate, object })
}

/** Reads a list of memories, at the top level or in a field, and mem0's relations. */
function mem0Notes(content: unknown): ForeignNotes {
  const fields = objectOf(content)
  const list = [content, fields.results, fields.memories, fields.items].find(Array.isArray) ?? []
  const notes: ForeignNotes = { entries: [], relations: [], skipped: [] }
  for (const [at, item] of list.entries()) {
    const { memory, content, text, data, categories, tags, created_at, metadata } = objectOf(item)
    const body = [memory, content, text, data, item].map(textOf).find((it) => it !== '')
    if (body === undefined) {
      notes.skipped.push(`memory ${at + 1}: it has no text`)
      continue
    }
    const isExported = objectOf(metadata).source === exportMark
    const day = isExported ? undefined : /^\d{4}-\d\d-\d\d/.exec(textOf(created_at))?.[0]
    const plain = withoutHeadings(body)
    notes.entries.push({
      content: day === undefined ? plain : `${plain} (recorded ${day})`,
      tags: [...textsOf(categories), ...textsOf(tags)].filter((tag) => tag !== ''),
    })
  }
  const relations: unknown[] = Array.isArray(fields.relations) ? fields.relations : []
  for (const [at, item] of relations.entries()) {
    const { source, relationship, relation, target, destination } = objectOf(item)
    const parts = [source, relationship ?? relation, target ?? destination]
    addRelation(notes, parts, `relation ${at + 1}`)
  }
  return notes
}

/**
 * Makes one entry from each file. Keeps links and tags in the text, and adds the tags of the front
 * matter.
 */
async function readMarkdownFolder(folder: string): Promise<ForeignNotes> {
  const notes: ForeignNotes = { entries: [], relations: [], skipped: [] }
  for (const path of await markdownFiles(folder)) {
    const name = relative(folder, path)
    const text = await readTextFile(path, { limitMb: 1 }).catch((error) => {
      notes.skipped.push(`${name}: ${messageOf(error)}`)
      return ''
    })
    const { front, body } = splitFrontMatter(text)
    if (body.trim() === '') continue
    const { title, tags, source } = await frontMatter(front)
    if (source === exportMark || source === relationsMark) {
      const add = source === exportMark ? addExportedEntry : addExportedRelations
      add(notes, { title, tags, body: body.trim() })
      continue
    }
    const heading = title || basename(path, extname(path))
    notes.entries.push({ content: `${heading}\n\n${withoutHeadings(body, heading)}`.trim(), tags })
  }
  if (notes.entries.length + notes.relations.length > 0) return notes
  throw new OgError(`Cannot import ${folder}: the folder has no Markdown files with text`)
}

type FrontMatter = { title: string; tags: string[]; source: string }

type ExportedFile = { title: string; tags: string[]; body: string }

/**
 * Adds an exported entry. A one-line entry is an observation that ends with the tags, so these are
 * removed.
 */
function addExportedEntry(notes: ForeignNotes, { tags, body }: ExportedFile): void {
  const said = /^- \[[a-z]+\] (.*)$/.exec(body)?.[1]
  const ending = tags.map((tag) => ` #${tag}`).join('')
  const content = said?.endsWith(ending) ? said.slice(0, said.length - ending.length) : said
  notes.entries.push({ content: content ?? withoutHeadings(body), tags })
}

function addExportedRelations(notes: ForeignNotes, { title, body }: ExportedFile): void {
  for (const line of body.split('\n')) {
    const [, type, object] = relationLine.exec(line) ?? []
    const predicate = type?.replace(/^"(.+)"$/, '$1')
    addRelation(notes, [title, predicate, object], `${title}: ${line.slice(0, 80)}`)
  }
}

const relationLine = /^- ([^[\]]{1,500}) \[\[([^\]]{1,500})\]\]$/

async function markdownFiles(folder: string, depth = 0): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause) => {
    throw new OgError(`Cannot read ${folder}: ${messageOf(cause)}`, { cause })
  })
  const files: string[] = []
  const isShown = ({ name }: Dirent) => !name.startsWith('.')
  for (const entry of entries.filter(isShown).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isFile() && extname(entry.name).toLowerCase() === '.md') files.push(path)
    if (entry.isDirectory() && depth < maxDepth)
      files.push(...(await markdownFiles(path, depth + 1)))
    if (files.length > maxFiles) {
      throw new OgError(`Cannot import ${folder}: it has more than ${maxFiles} Markdown files`)
    }
  }
  return files
}

function splitFrontMatter(text: string): { front: string; body: string } {
  const plain = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
  const end = plain.startsWith('---\n') ? plain.indexOf('\n---', 3) : -1
  if (end === -1) return { front: '', body: plain }
  const next = plain.indexOf('\n', end + 1)
  return { front: plain.slice(4, end), body: next === -1 ? '' : plain.slice(next + 1) }
}

/** Invalid YAML counts as front matter without title or tags. */
async function frontMatter(front: string): Promise<FrontMatter> {
  if (front.trim() === '') return { title: '', tags: [], source: '' }
  const { parse } = await import('yaml')
  const fields = await Promise.try(() => objectOf(parse(front, { maxAliasCount: 0 }))).catch(
    (): Record<string, unknown> => ({}),
  )
  const { title, tags, source } = fields
  const tagList = typeof tags === 'string' ? tags.split(/[\s,]+/) : textsOf(tags)
  return { title: textOf(title), tags: tagList.filter((tag) => tag !== ''), source: textOf(source) }
}

/**
 * Replaces large headings outside code with bold text, because a heading starts a new entry in a
 * memory file.
 */
function withoutHeadings(body: string, title = ''): string {
  let fence: Fence | null = null
  const lines = body.split('\n').flatMap((line) => {
    fence = fenceAfter(line, fence)
    const isCode: boolean = fence !== null
    const heading = isCode ? undefined : /^#{1,2}[ \t]+(.{1,500})$/.exec(line)?.[1]?.trim()
    if (heading === undefined) return [line]
    return heading === title ? [] : [`**${heading}**`]
  })
  return lines.join('\n').trim()
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ')

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

type Said = { conversation: string; text: string }

/**
 * Reads ChatGPT's memories, and the user's rules, decisions and preferences, from the
 * conversations.json of a ChatGPT export. Skips the rest of the conversations.
 */
export function chatGptNotes(content: unknown): ForeignNotes {
  const notes: ForeignNotes = { entries: [], relations: [], skipped: [] }
  const said: Said[] = []
  for (const conversation of listOf(content).map(objectOf)) {
    const title = textOf(conversation.title)
    for (const node of Object.values(objectOf(conversation.mapping)).map(objectOf)) {
      const message = objectOf(node.message)
      const inner = objectOf(message.content)
      const memories = textOf(inner.model_set_context)
      for (const memory of memories.split('\n').map(keptMemory))
        addEntry(notes, memory, ['chatgpt'])
      if (objectOf(message.author).role !== 'user' || inner.content_type !== 'text') continue
      said.push({ conversation: title, text: listOf(inner.parts).map(textOf).join('\n') })
    }
  }
  return withStatements(notes, said, 'chatgpt')
}

/** A line of ChatGPT's memory, such as `1. [2025-01-02]. Likes tea.` */
function keptMemory(line: string): string {
  return line
    .replace(/^\d{1,6}\. */, '')
    .replace(/^\[([\d-]{10})\]\.? *(.*)$/, '$2 (recorded $1)')
    .trim()
}

/**
 * Reads conversations.json or memories.json in a Claude export: Claude's memory of the user and of
 * each project, and the user's rules, decisions and preferences.
 */
export function claudeNotes(content: unknown): ForeignNotes {
  const notes: ForeignNotes = { entries: [], relations: [], skipped: [] }
  const said: Said[] = []
  for (const item of listOf(content).map(objectOf)) {
    const projects = Object.values(objectOf(item.project_memories)).map(textOf)
    for (const memory of [textOf(item.conversations_memory), ...projects]) {
      for (const paragraph of memory.split(/\n{2,}/)) addEntry(notes, plain(paragraph), ['claude'])
    }
    for (const message of listOf(item.chat_messages).map(objectOf)) {
      if (message.sender !== 'human') continue
      const parts = listOf(message.content).map((part) => textOf(objectOf(part).text))
      said.push({ conversation: textOf(item.name), text: parts.join('\n') || textOf(message.text) })
    }
  }
  return withStatements(notes, said, 'claude')
}

/** Replaces headings with bold lines, because a heading starts a new entry in a memory file. */
function plain(paragraph: string): string {
  return paragraph.replace(/^#{1,6}[ \t]+(\S.*)$/gm, '**$1**').trim()
}

function withStatements(notes: ForeignNotes, said: readonly Said[], tag: string): ForeignNotes {
  for (const { conversation, text } of said) {
    for (const note of notesOfPrompt(text.slice(0, maxMessage), 1)) {
      const source = conversation === '' ? '' : ` (said in "${conversation.slice(0, 80)}")`
      addEntry(notes, `${note.text}${source}`, [tag, note.kind])
    }
  }
  return notes
}

/** A longer message usually contains pasted text. */
const maxMessage = 20_000

function addEntry(notes: ForeignNotes, content: string, tags: string[]): void {
  if (content !== '') notes.entries.push({ content, tags })
}
