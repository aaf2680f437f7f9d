import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { objectOf, parseJsonOrUndefined } from '../../platform/json.ts'
import { readTextFile } from '../../platform/file/read-file.ts'
import { writeFileAtomically } from '../../platform/file/files.ts'
import { localTime } from '../text.ts'
import { parseEntries } from '../entry.ts'
import { privatePath } from '../memory-files.ts'
import { isCreated, type Workspace, isOwnFile } from '../workspace.ts'
import { append } from '../write/append.ts'
import { withWriteLock, type Writer } from '../write/write-lock.ts'
import { type HookCall, sessionEvents } from './session-event.ts'
import { editInbox, addNotes, type InboxNote } from './inbox.ts'
import {
  emptySession,
  notesOfEvents,
  notesOfPrompt,
  notesOfSession,
  isSession,
  type CandidateNote,
  type SessionState,
} from './session-notes.ts'

/** State between two hook calls, stored in `.og/capture.json`. */
type CaptureState = {
  /** Sessions by id, most recent last. */
  sessions: Record<string, SessionState>
  /** Ids of notes that the user has accepted or dropped, most recent last. */
  decided: string[]
  /** Number of notes that were rejected because the inbox was full. */
  rejected: number
}

const maxSessions = 20
const maxDecided = 2_000

export type Captured = { added: number; rejected: number }

/**
 * Proposes notes from a hook's message and the new part of the transcript. Adds them to the inbox
 * or, if `acceptsAll` is set, to their files.
 */
export async function capture(
  writer: Writer,
  call: HookCall,
  { acceptsAll }: { acceptsAll: boolean },
): Promise<Captured> {
  const { workspace } = writer
  // Most messages contain nothing to note. They do not cause a missing memory to be created.
  const isQuiet = call.prompt === null || notesOfPrompt(call.prompt, 0).length === 0
  if (isQuiet && call.transcript === null) return { added: 0, rejected: 0 }
  if (isQuiet && !isCreated(workspace)) {
    const trial: SessionState = structuredClone(emptySession)
    if ((await newNotes(trial, call)).length === 0) return { added: 0, rejected: 0 }
  }
  const counts = { added: 0, rejected: 0 }
  const fresh = await withWriteLock(writer, async (turn) => {
    const state = await readState(workspace)
    const isOldSession = Object.hasOwn(state.sessions, call.session)
    const session = isOldSession ? state.sessions[call.session]! : structuredClone(emptySession)
    delete state.sessions[call.session]
    state.sessions[call.session] = session
    const { day, time } = localTime(turn.now)
    const shared = { client: call.client, session: call.session, at: `${day} ${time}` }
    const texts = await knownTexts(workspace)
    const fresh = (await newNotes(session, call))
      .filter(
        ({ id, text }) => !state.decided.includes(id) && !texts.some((it) => it.includes(text)),
      )
      .map((note) => ({ ...note, ...shared }))
    if (fresh.length > 0) {
      await editInbox(workspace, (notes) => {
        const { notes: all, rejected } = addNotes(notes, fresh)
        Object.assign(counts, { added: all.length - notes.length, rejected })
        return all
      })
    }
    state.rejected += counts.rejected
    await writeState(workspace, state)
    return fresh
  })
  if (acceptsAll && fresh.length > 0) {
    await decide(writer, { action: 'accept', ids: fresh.map(({ id }) => id) }, fresh)
  }
  return counts
}

async function newNotes(session: SessionState, call: HookCall): Promise<CandidateNote[]> {
  const { prompt, transcript, event, folder } = call
  const limit = event === 'prompt' ? promptLimit : endLimit
  const pending = new Map(session.pending)
  const lines = transcript === null ? [] : await newLines(transcript, session, limit)
  const notes = notesOfEvents(session, sessionEvents(lines, pending))
  session.pending = [...pending]
  if (prompt !== null) notes.push(...notesOfPrompt(prompt, session.turn + 1))
  if (event === 'end') notes.push(...notesOfSession(session, { session: call.session, folder }))
  const byId = new Map(notes.map((note) => [note.id, note]))
  return [...byId.values()]
}

/**
 * During a prompt the user waits, so a smaller part of the transcript is read than at the end of a
 * session.
 */
const promptLimit = 512 * 1024
const endLimit = 1024 * 1024

/**
 * Returns the complete lines after the session's offset and advances the offset. If more than
 * `limit` bytes follow, returns only the last ones.
 */
async function newLines(path: string, session: SessionState, limit: number): Promise<string[]> {
  const stats = await stat(path).catch(() => null)
  if (!stats?.isFile()) return []
  // If the file has become shorter, it is a different file.
  const from = session.offset > stats.size ? 0 : session.offset
  const start = Math.max(from, stats.size - limit)
  await using file = await open(path, 'r')
  const { buffer, bytesRead } = await file.read(Buffer.alloc(stats.size - start), {
    position: start,
  })
  const text = buffer.subarray(0, bytesRead)
  const end = text.lastIndexOf(10)
  if (end === -1) return []
  const first = start > from ? text.indexOf(10) + 1 : 0
  session.offset = start + end + 1
  return text.subarray(first, end).toString('utf8').split('\n')
}

/** Returns the text of MEMORY.md, USER.md and AGENTS.md. Skips files above 1 MB. */
async function knownTexts({ path }: Workspace): Promise<string[]> {
  const names = ['MEMORY.md', 'USER.md', 'AGENTS.md'].filter((name) => isOwnFile(path, name))
  return Promise.all(
    names.map((name) => readTextFile(join(path, name), { limitMb: 1 }).catch(() => '')),
  )
}

async function readState(workspace: Workspace): Promise<CaptureState> {
  const text = await readTextFile(statePath(workspace), { limitMb: 4 }).catch(() => '{}')
  // A damaged file counts as empty. At worst, og proposes a note again.
  const state = objectOf(parseJsonOrUndefined(text))
  const { sessions, decided, rejected } = state
  return {
    sessions: Object.fromEntries(
      Object.entries(objectOf(sessions)).flatMap(([id, one]) =>
        isSession(one) ? [[id, one]] : [],
      ),
    ),
    decided: Array.isArray(decided) ? decided : [],
    rejected: typeof rejected === 'number' ? rejected : 0,
  }
}

async function writeState(workspace: Workspace, state: CaptureState): Promise<void> {
  const sessions = Object.fromEntries(Object.entries(state.sessions).slice(-maxSessions))
  const decided = state.decided.slice(-maxDecided)
  const content = JSON.stringify({ ...state, sessions, decided })
  await writeFileAtomically(statePath(workspace), content, { mode: 0o600 })
}

const statePath = (workspace: Workspace) => privatePath(workspace, 'capture.json')

export type Decision =
  | { action: 'accept' | 'drop'; ids: readonly string[] }
  | { action: 'edit'; ids: readonly [string]; text: string }
  | { action: 'merge'; ids: readonly string[]; text: string | null }

export type Decided = { accepted: { id: string; file: string }[]; dropped: string[]; left: number }

/**
 * Accepts, drops, edits or merges notes. Writes an accepted note before removing it from the inbox,
 * so that no note is lost if the process is killed.
 */
export async function decide(
  writer: Writer,
  decision: Decision,
  notes: readonly InboxNote[],
): Promise<Decided> {
  const { action, ids } = decision
  const chosen = notes.filter(({ id }) => ids.includes(id))
  const accepted: Decided['accepted'] = []
  if (action === 'accept') {
    for (const { id, to, text } of chosen) {
      const isThere = to === 'daily' && (await isLogged(writer, text))
      if (!isThere) await append(writer, { file: to, content: text })
      accepted.push({ id, file: to })
    }
  }
  let left = 0
  await withWriteLock(writer, async () => {
    await editInbox(writer.workspace, (now) => {
      const after = afterDecision(now, decision)
      left = after.length
      return after
    })
    if (action === 'edit') return
    const state = await readState(writer.workspace)
    const gone = action === 'merge' ? ids.slice(1) : ids
    await writeState(writer.workspace, { ...state, decided: [...state.decided, ...gone] })
  })
  return { accepted, dropped: action === 'drop' ? chosen.map(({ id }) => id) : [], left }
}

function afterDecision(notes: readonly InboxNote[], decision: Decision): InboxNote[] {
  const ids: readonly string[] = decision.ids
  const [first] = ids
  if (!('text' in decision)) return notes.filter(({ id }) => !ids.includes(id))
  const merged = notes.filter(({ id }) => ids.includes(id)).map(({ text }) => text)
  const text = decision.text ?? merged.join('\n')
  return notes
    .filter(({ id }) => id === first || !ids.includes(id))
    .map((note) => (note.id === first ? { ...note, text } : note))
}

/**
 * True if today's log contains the note, which may have been written just before the process was
 * killed. The log itself accepts duplicates.
 */
async function isLogged({ workspace, clock }: Writer, text: string): Promise<boolean> {
  const path = join(workspace.path, 'daily', `${localTime(clock()).day}.md`)
  const log = await readTextFile(path, { limitMb: 16 }).catch(() => '')
  return parseEntries(log).some(({ body }) => body === text)
}
