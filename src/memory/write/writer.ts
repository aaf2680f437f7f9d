import type { Stats } from 'node:fs'
import { OgError } from '../../platform/error.ts'
import type { JournalEnd } from './journal.ts'
import type { Workspace } from '../workspace.ts'

/** What a write left on the disk. */
export type Written = {
  file: string
  /** What was added to its end, to the byte; null: anything may have changed. */
  appended: string | null
  /** null: there was no such file. */
  before: Stats | null
  after: Stats
}

/** What writes work with; one for each open workspace. */
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
  /** Where the journal ended when all of it was known to be done. */
  settled: JournalEnd | null
}

/** The right to write, held by one process at a time; `written` collects what became of it. */
export type Turn = { writer: Writer; now: Date; warning: string | null }

/** A message for writes that find something else than was told to them. */
export function changedMeanwhile(file: string): OgError {
  return new OgError(`${file} is not what was expected; nothing was changed`, {
    hint: 'read it again, then write',
  })
}
