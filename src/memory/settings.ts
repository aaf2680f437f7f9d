import { defaultBootstrapSettings, type BootstrapSettings } from './bootstrap/bootstrap.ts'
import { defaultChunking, type EntryChunking } from './index/entry-chunks.ts'
import { defaultRecallSettings, type RecallSettings } from './recall/recall-request.ts'

/** The settings of a memory: upstream's, under our names. */
export type MemorySettings = {
  recall: RecallSettings
  /** The number of hits where a search does not give one. */
  topK: number
  chunking: EntryChunking
  bootstrap: BootstrapSettings
  /** Every file is read anew before each bootstrap, not only those that changed. */
  syncOnBootstrap: boolean
  /** Backups to keep, the newest; null: all. */
  backupsKept: number | null
  /** Tiers whose text may be replaced and deleted. */
  mutableTiers?: readonly string[]
  lockTimeoutMs: number
  /** The least cosine of an entry that is about a task; null: not known of this model. */
  contextMinCosine: number | null
}

export const defaultMemorySettings: MemorySettings = {
  recall: defaultRecallSettings,
  topK: 6,
  chunking: defaultChunking,
  bootstrap: defaultBootstrapSettings,
  syncOnBootstrap: false,
  backupsKept: null,
  mutableTiers: ['USER.md', 'AGENTS.md', 'RELATIONS.md'],
  lockTimeoutMs: 60_000,
  contextMinCosine: null,
}
