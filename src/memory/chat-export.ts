import { objectOf } from '../platform/json.ts'
import { notesOfPrompt } from './capture/session-notes.ts'
import type { ForeignNotes } from './foreign-notes.ts'

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

type Said = { conversation: string; text: string }

/**
 * Reads conversations.json of a ChatGPT export: the memories that ChatGPT keeps, and what the user
 * stated as a rule, a decision or a preference. Whole conversations are not notes.
 */
export function chatGptNotes(content: unknown): ForeignNotes {
  const notes: ForeignNotes = { entries: [], relations: [], skipped: [] }
  const said: Said[] = []
  for (const conversation of listOf(content).map(objectOf)) {
    const title = textOf(conversation.title)
    for (const node of Object.values(objectOf(conversation.mapping)).map(objectOf)) {
      const message = objectOf(node.message)
      const inner = objectOf(message.content)
      const kept = textOf(inner.model_set_context)
      for (const memory of kept.split('\n').map(keptMemory)) addEntry(notes, memory, ['chatgpt'])
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
 * Reads conversations.json or memories.json of a Claude export: its memory of the user and of each
 * project, and what the user stated as a rule, a decision or a preference.
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

/** In a memory file a heading starts an entry, so headings become bold lines. */
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

/** A longer message is mostly pasted text. */
const maxMessage = 20_000

function addEntry(notes: ForeignNotes, content: string, tags: string[]): void {
  if (content !== '') notes.entries.push({ content, tags })
}
