import type { Stats } from 'node:fs'
import { OgError } from '../../platform/error.ts'
import type { ConflictingEntry } from './append.ts'
import type { JournalEnd } from './journal.ts'
import type { Workspace } from '../workspace.ts'

/** A write to a file, with the file's stat before and after it. */
export type AppendedText = {
  file: string
  /** The exact text that was appended; null for any other change. */
  appended: string | null
  /** Null if the file did not exist. */
  before: Stats | null
  after: Stats
}

/** An entry to be compared; `file` is null if duplicates are allowed. */
export type NewEntry = { file: string | null; body: string }

export type EntryComparison = {
  /** Whether the file has an entry with exactly this body that nothing corrects. */
  isDuplicate: boolean
  /** Entries that say nearly the same thing with a different value; empty for a duplicate. */
  conflicts: ConflictingEntry[]
}

/** The context of writes, one per open workspace. */
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
  /** Tiers whose text may be replaced or deleted; `usualMutable` by default. */
  mutableTiers?: readonly string[]
  /**
   * The position in the journal before which all changes are known to be settled; null if unknown.
   */
  settled: JournalEnd | null
}

/** The exclusive right to write; `warning` is set if updating the index failed. */
export type LockedWriter = { writer: Writer; now: Date; warning: string | null }

/** Returns the error of a write that did not find the text that it expected. */
export function changedMeanwhileError(file: string): OgError {
  return new OgError(`${file} has other text than expected; nothing was changed`, {
    hint: 'read it again, then write',
  })
}
