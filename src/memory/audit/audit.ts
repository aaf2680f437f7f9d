import { existsSync } from 'node:fs'
import { OgError } from '../../platform/error.ts'
import { findNearDuplicates } from './audit-near.ts'
import { findContradictions } from './audit-relations.ts'
import { localTime, linesWithEnds } from '../text.ts'
import { memoryFiles, readEntries, type FileEntry } from '../memory-files.ts'
import { resolveMemoryFile, readMemoryText } from '../write/memory-file.ts'
import { findSecrets } from './secrets.ts'
import type { Workspace } from '../workspace.ts'

/**
 * A range of lines, 1-based and inclusive. `entry_id` is set only if the range is exactly one
 * entry.
 */
type LineSpan = { file: string; start_line: number; end_line: number; entry_id: string | null }

/** Replaces whole lines; an empty `content` deletes them. */
export type AuditEdit = {
  file: string
  start_line: number
  end_line: number
  /** The text that the lines must contain; otherwise the edit is refused. */
  expect: string
  content: string
}

export type Finding = LineSpan & {
  kind:
    | 'duplicate'
    | 'near_duplicate'
    | 'contradiction'
    | 'secret'
    | 'never_recalled'
    | 'oversized'
    | 'unreadable'
  message: string
  /** The lines that this finding repeats or contradicts. */
  other?: LineSpan
  fix?: AuditEdit
}

export type AuditOptions = {
  now: Date
  recalls: { counts: ReadonlyMap<string, number>; since: string | null }
  maxEntryChars: number
  maxFileChars: number
  /**
   * An entry is reported if it is at least this many days old and has never been recalled, once
   * recalls have been counted for as many days.
   */
  unrecalledDays: number
}

/** Finds problems in memory by rules, without a language model. Changes no file. */
export async function audit(workspace: Workspace, options: AuditOptions): Promise<Finding[]> {
  const { texts, unreadable } = await textsOf(workspace)
  const entries = (await readEntries(workspace)).filter(({ file }) => texts.has(file))
  return [
    ...unreadable,
    ...duplicates(entries, texts),
    ...findNearDuplicates(entries),
    ...findContradictions(texts.get('RELATIONS.md') ?? ''),
    ...[...texts].flatMap(([file, text]) => findSecrets(file, text)),
    ...oversized(entries, texts, options),
    ...neverRecalled(entries, options),
  ]
}

function spanOf({ file, startLine, endLine, id }: FileEntry): LineSpan {
  return { file, start_line: startLine, end_line: endLine, entry_id: id }
}

type Texts = { texts: Map<string, string>; unreadable: Finding[] }

/** Reads all files. Reports an unreadable file as a finding and continues with the others. */
async function textsOf(workspace: Workspace): Promise<Texts> {
  const texts = new Map<string, string>()
  const unreadable: Finding[] = []
  // The inbox contains captured notes and is not indexed.
  for (const file of [...memoryFiles(workspace), 'INBOX.md']) {
    try {
      const place = resolveMemoryFile(workspace, file)
      if (existsSync(place.path)) texts.set(file, await readMemoryText(place))
    } catch (error) {
      if (!(error instanceof OgError)) throw error
      const [lines, message] = [{ start_line: 1, end_line: 1 }, `not audited: ${error.reason}`]
      unreadable.push({ kind: 'unreadable', file, ...lines, entry_id: null, message })
    }
  }
  return { texts, unreadable }
}

/**
 * Finds entries of one file with equal bodies, and proposes to remove the later ones. Skips daily
 * logs and corrected entries.
 */
function duplicates(entries: FileEntry[], texts: Map<string, string>): Finding[] {
  const correctedIds = new Set(entries.flatMap(({ corrects }) => corrects))
  const spoken = entries.filter(({ body, file }) => body !== '' && !file.startsWith('daily/'))
  const groups = Map.groupBy(spoken, ({ file, body }) => `${file}\n${body.replace(/\s+/g, ' ')}`)
  return [...groups.values()].flatMap(([first, ...later]) =>
    later
      .filter(({ id }) => !correctedIds.has(id) && !correctedIds.has(first!.id))
      .map((entry) => ({
        kind: 'duplicate' as const,
        ...spanOf(entry),
        message: `says the same as lines ${first!.startLine}-${first!.endLine}`,
        other: spanOf(first!),
        fix: removal(entry, texts.get(entry.file) ?? ''),
      })),
  )
}

/** Returns an edit that removes an entry and the blank lines before it. */
function removal({ file, startLine, endLine }: FileEntry, text: string): AuditEdit {
  const lines = linesWithEnds(text)
  let first = startLine
  while (first > 1 && lines[first - 2]!.trim() === '') first--
  const expect = lines.slice(first - 1, endLine).join('')
  return { file, start_line: first, end_line: endLine, expect, content: '' }
}

function oversized(
  entries: FileEntry[],
  texts: Map<string, string>,
  { maxEntryChars, maxFileChars }: AuditOptions,
): Finding[] {
  const long = entries
    .filter(({ text }) => text.length > maxEntryChars)
    .map((entry) => ({
      kind: 'oversized' as const,
      ...spanOf(entry),
      message: `has ${entry.text.length} characters; more than ${maxEntryChars} hide one another`,
    }))
  const files = [...texts].filter(
    ([file, text]) => text.length > maxFileChars && !file.startsWith('daily/'),
  )
  return [
    ...long,
    ...files.map(([file, text]) => ({
      kind: 'oversized' as const,
      file,
      start_line: 1,
      end_line: linesWithEnds(text).length,
      entry_id: null,
      message: `has ${text.length} characters; bootstrap shows the newest ${maxFileChars}`,
    })),
  ]
}

function neverRecalled(entries: FileEntry[], options: AuditOptions): Finding[] {
  const { now, recalls, unrecalledDays } = options
  const { day } = localTime(new Date(now.getTime() - unrecalledDays * 86_400_000))
  if (recalls.since === null || recalls.since > day) return []
  return entries
    .filter(({ date, file }) => date !== null && date <= day && !file.startsWith('daily/'))
    .filter(({ id }) => !recalls.counts.has(id))
    .map((entry) => ({
      kind: 'never_recalled' as const,
      ...spanOf(entry),
      message: `has not been recalled since ${recalls.since}`,
    }))
}
