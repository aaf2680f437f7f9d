import type { Stats } from 'node:fs'
import { OgError } from '../../platform/error.ts'
import type { JournalEnd } from './journal.ts'
import type { Workspace } from '../workspace.ts'

/** A write into a file, and the file on the disk before and after. */
export type Written = {
  file: string
  /** The text that was added to the end of the file, to the byte; null: any change. */
  appended: string | null
  /** null: there was no such file. */
  before: Stats | null
  after: Stats
}

/** The surroundings of writes; one for each open workspace. */
export type Writer = {
  workspace: Workspace
  clock: () => Date
  lockTimeoutMs: number
  /** Called under the lock after each write, so that the index follows in the same operation. */
  onWritten: (written: Written) => void | Promise<void>
  /** Whether an entry of exactly this body stands in the file, and no later one corrects it. */
  hasEntry: (file: string, body: string) => boolean | Promise<boolean>
  /** Tiers whose text may be replaced and deleted; `usualMutable` unless set. */
  mutableTiers?: readonly string[]
  /** The end of the journal when all of it was known to be done; null: not known yet. */
  settled: JournalEnd | null
}

/** The right to write, held by one process at a time; `warning`: the index did not follow. */
export type Turn = { writer: Writer; now: Date; warning: string | null }

/** The error of a write that found other text than its caller expected. */
export function changedMeanwhile(file: string): OgError {
  return new OgError(`${file} is not what was expected; nothing was changed`, {
    hint: 'read it again, then write',
  })
}
