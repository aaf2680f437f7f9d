import type { Stats } from 'node:fs'
import { OgError } from '../../platform/error.ts'
import type { ConflictingEntry } from './append.ts'
import type { JournalEnd } from './journal.ts'
import type { Workspace } from '../workspace.ts'

export type AppendedText = {
  file: string
  appended: string | null
  before: Stats | null
  after: Stats
}

export type NewEntry = { file: string | null; body: string }

export type EntryComparison = {
  /** Whether the file has an entry with exactly this body that nothing corrects. */
  isDuplicate: boolean
  conflicts: ConflictingEntry[]
}

export type Writer = {
  workspace: Workspace
  clock: () => Date
  lockTimeoutMs: number
  /**
   * Called while the lock is held, after each write, so that the index is updated in the same
   * operation.
   */
  onWritten: (written: AppendedText) => void | Promise<void>
  /** Compares a new entry with those in memory, before it is written. */
  compare: (entry: NewEntry) => Promise<EntryComparison>
  mutableTiers?: readonly string[]
  /**
   * The position in the journal before which all changes are known to be settled; null if unknown.
   */
  settled: JournalEnd | null
}

/** The exclusive right to write; `warning` is set if updating the index failed. */
export type LockedWriter = { writer: Writer; now: Date; warning: string | null }

export function changedMeanwhileError(file: string): OgError {
  return new OgError(`${file} has other text than expected; nothing was changed`, {
    hint: 'read it again, then write',
  })
}
