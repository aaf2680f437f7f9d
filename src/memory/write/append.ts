import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { OgError } from '../../platform/error.ts'
import { trimCharacters } from '../../platform/text/trim.ts'
import { appendText, writeFields } from './change.ts'
import { localTime, mainLineEnd, countCharacters, convertLineEnds } from '../text.ts'
import {
  correctionMark,
  parseEntries,
  renderEntry,
  supersessionMark,
  validityMark,
} from '../entry.ts'
import {
  resolveExistingFile,
  fileForName,
  type MemoryFile,
  resolveMemoryFile,
} from './memory-file.ts'
import { readEntries } from '../memory-files.ts'
import { withWriteLock, type LockedWriter, type Writer } from './write-lock.ts'
import type { Workspace } from '../workspace.ts'

export type AppendRequest = {
  file: string
  content: string
  tags?: readonly string[]
  /**
   * Id of the entry that this one corrects. If `content` is empty, the corrected entry is retired
   * and never recalled again.
   */
  corrects?: string
  supersedes?: string
  validFrom?: string | null
  validUntil?: string | null
}

/** An entry that contains nearly the same statement with a different value. */
export type ConflictingEntry = { entry_id: string; file: string; text: string }

export type AppendResult = {
  file: string
  tier: string
  /** Local time, `YYYY-MM-DD HH:MM`. */
  timestamp: string
  chars_written: number
  /**
   * True if the file already contained this body. Absent for the daily log, which accepts
   * duplicates.
   */
  deduplicated?: boolean
  mode: 'append'
  /** Entries that this one may contradict. */
  conflicts?: ConflictingEntry[]
  /** The ids of the entry and of the write (for `undo`); absent if the entry was a duplicate. */
  entry_id?: string
  write_id?: string
  warning?: string
}

/**
 * Appends an entry to a tier, today's log or a custom file. Skips it if an uncorrected entry has
 * exactly the same body. A new fact is kept even if it is part of an older entry.
 */
export async function append(writer: Writer, request: AppendRequest): Promise<AppendResult> {
  const target = targetOf(writer.workspace, request.file)
  const body = request.content.toWellFormed().replace(/\r\n?/g, '\n').trim()
  const { corrects, supersedes, validFrom = null, validUntil = null } = request
  const older = corrects ?? supersedes
  if (body === '' && older === undefined) {
    throw new OgError(`'content' cannot be empty for append mode.`)
  }
  return withWriteLock(writer, async (turn) => {
    const { day, time } = localTime(turn.now)
    const place = resolveMemoryFile(writer.workspace, fileForName(target.file, turn.now))
    if (existsSync(place.path)) resolveExistingFile(writer.workspace, place.file)
    const where = { file: place.file, tier: target.tier, timestamp: `${day} ${time}` }
    const isDaily = target.tier === 'daily'
    const validity = validityMark(validFrom, validUntil)
    if (older !== undefined) await checkCorrected(writer.workspace, older)
    const dedupedFile = isDaily || validity !== '' ? null : place.file
    const { isDuplicate, conflicts } =
      older === undefined
        ? await writer.compare({ file: dedupedFile, body })
        : { isDuplicate: false, conflicts: [] }
    if (isDuplicate) return { ...where, chars_written: 0, deduplicated: true, mode: 'append' }
    const entry = renderEntry(isDaily ? time : where.timestamp, body, {
      tags: takesTags.includes(target.tier) ? (request.tags ?? []).flatMap(tagOf) : [],
      marks: [
        ...(corrects === undefined ? [] : [correctionMark(corrects)]),
        ...(supersedes === undefined ? [] : [supersessionMark(supersedes)]),
        ...(validity === '' ? [] : [validity]),
      ],
    })
    const text = isDaily && isBlank(place) ? `\n# Daily Log - ${day}\n` + entry : entry
    const written = await appendEntry(turn, place, text)
    return {
      ...where,
      chars_written: countCharacters(text),
      ...(!isDaily && { deduplicated: false }),
      mode: 'append',
      ...(conflicts.length > 0 && { conflicts }),
      ...written,
    }
  })
}

type Target = { file: string; tier: string }

const takesTags = ['long_term', 'daily', 'custom']

function targetOf({ customFiles }: Workspace, name: string): Target {
  const targets: Target[] = [
    { file: 'MEMORY.md', tier: 'long_term' },
    { file: 'USER.md', tier: 'user' },
    { file: 'AGENTS.md', tier: 'agent' },
    { file: 'daily', tier: 'daily' },
    ...customFiles.map((custom) => ({ file: custom.name, tier: 'custom' })),
  ]
  const typed = name.trim().replace(/^\.\//, '').toLowerCase()
  const target = targets.find(({ file }) => file.toLowerCase() === typed)
  if (target !== undefined) return target
  if (/^daily[/\\]/.test(typed)) {
    throw new OgError(
      `'${name}' is a specific daily log and is immutable. Use 'daily' to append to today's log.`,
    )
  }
  const valid = targets.map(({ file }) => `'${file}'`).join(', ')
  throw new OgError(`Unknown append target '${name}'. Valid targets: [${valid}].`)
}

/** Converts a tag to a single word without `#`; empty if no word is left. */
function tagOf(tag: string): string[] {
  const word = trimCharacters(
    tag
      .trim()
      .replace(/^#+/, '')
      .replace(/[\s#]+/g, '-'),
    '-',
  )
  return word === '' ? [] : [word]
}

function isBlank({ path }: MemoryFile): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0
}

async function checkCorrected(workspace: Workspace, id: string): Promise<void> {
  const entries = await readEntries(workspace)
  if (entries.some((entry) => entry.id === id)) return
  throw new OgError(`There is no entry "${id}" to correct`, {
    hint: 'search for the entry; each hit shows its id',
  })
}

async function appendEntry(turn: LockedWriter, place: MemoryFile, text: string) {
  const end = endOf(place)
  const whole = convertLineEnds(end.isOpen ? `\n${text}` : text, end.lineEnd)
  const change = await appendText(turn, place, { text: whole, op: 'append' })
  const entry = parseEntries(whole).at(-1)
  return { ...(entry && { entry_id: entry.id }), ...writeFields(turn, change) }
}

function endOf({ path }: MemoryFile): { lineEnd: '\n' | '\r\n'; isOpen: boolean } {
  if (!existsSync(path)) return { lineEnd: '\n', isOpen: false }
  const fd = openSync(path, 'r')
  try {
    const { size } = fstatSync(fd)
    const bytes = Buffer.alloc(Math.min(size, 4096))
    readSync(fd, bytes, 0, bytes.length, size - bytes.length)
    const tail = bytes.toString('latin1')
    return { lineEnd: mainLineEnd(tail), isOpen: tail !== '' && !tail.endsWith('\n') }
  } finally {
    closeSync(fd)
  }
}
