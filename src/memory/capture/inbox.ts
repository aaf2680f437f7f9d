import { join } from 'node:path'
import { editTextFile } from '../../platform/file/edit-file.ts'
import { readTextFile } from '../../platform/file/read-file.ts'
import { isOwnFile, type Workspace } from '../workspace.ts'
import type { CandidateNote } from './session-notes.ts'

export type InboxNote = CandidateNote & {
  client: string
  session: string
  /** Local time, `YYYY-MM-DD HH:MM`. */
  at: string
}

export const maxInboxNotes = 200

const title = `# Inbox

Notes that og found in sessions of coding agents. Nothing here is recalled:
\`og memory inbox\` accepts, edits, merges or drops them.
`

/** Returns the notes of INBOX.md, oldest first. */
export async function readInbox({ path }: Workspace): Promise<InboxNote[]> {
  if (!isOwnFile(path, 'INBOX.md')) return []
  return parseInbox(await readTextFile(join(path, 'INBOX.md'), { limitMb: 4 }))
}

/**
 * Changes the notes in INBOX.md under the write lock. Keeps concurrent manual edits. If `change`
 * returns null, the file does not change.
 */
export async function editInbox(
  { path }: Workspace,
  change: (notes: InboxNote[]) => InboxNote[] | null,
): Promise<void> {
  const plan = (text: string | null) => {
    const notes = change(parseInbox(text ?? ''))
    return notes === null ? null : openingOf(text) + notes.map(renderNote).join('')
  }
  await editTextFile(join(path, 'INBOX.md'), { plan, name: 'INBOX.md', limitMb: 4 })
}

/** Returns the text before the first note, which the user may have edited. */
function openingOf(text: string | null): string {
  const lines = (text ?? '').split(/\r?\n/)
  const first = lines.findIndex((line) => heading.test(line))
  const opening = (first < 0 ? lines : lines.slice(0, first)).join('\n').trim()
  return opening === '' ? title : `${opening}\n`
}

export function addNotes(
  notes: readonly InboxNote[],
  added: readonly InboxNote[],
): { notes: InboxNote[]; rejected: number } {
  const byId = new Map(notes.map((note) => [note.id, note]))
  let rejected = 0
  for (const note of added) {
    const isSummary = note.to === 'daily'
    if (byId.has(note.id) && !isSummary) continue
    if (byId.has(note.id) || byId.size < maxInboxNotes) byId.set(note.id, note)
    else rejected++
  }
  return { notes: [...byId.values()], rejected }
}

const heading =
  /^## (rule|decision|preference|open|command|files) ([0-9a-f]{12}) for ([\w.]{1,20})[ \t]*$/
const source =
  /^<!-- from: ([\w.-]{1,40}) ([\w.:-]{1,80}), turn (\d{1,9}), (\d{4}-\d\d-\d\d \d\d:\d\d) -->$/

function renderNote({ id, kind, to, text, client, session, turn, at }: InboxNote): string {
  return `
## ${kind} ${id} for ${to}

<!-- from: ${client} ${session}, turn ${turn}, ${at} -->
${text}
`
}

const isTarget = (name: string): name is InboxNote['to'] =>
  ['MEMORY.md', 'USER.md', 'AGENTS.md', 'daily'].includes(name)

function parseInbox(file: string): InboxNote[] {
  const notes: InboxNote[] = []
  for (const line of file.split(/\r?\n/)) {
    const [, kind, id, to] = heading.exec(line) ?? []
    const last = notes.at(-1)
    if (kind !== undefined && isTarget(to!)) {
      const empty = { text: '', turn: 0, client: 'unknown', session: 'unknown', at: '' }
      notes.push({ kind: kind as InboxNote['kind'], id: id!, to, ...empty })
      continue
    }
    if (last === undefined) continue
    const [, client, session, turn, at] = source.exec(line) ?? []
    if (client !== undefined) {
      Object.assign(last, { client, session, turn: Number(turn), at })
    } else last.text += `${line}\n`
  }
  return notes
    .map((note) => ({ ...note, text: note.text.trim() }))
    .filter(({ text }) => text !== '')
}
