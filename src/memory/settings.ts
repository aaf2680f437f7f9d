import { defaultBootstrapSettings, type BootstrapSettings } from './bootstrap/bootstrap.ts'
import { defaultChunking, type EntryChunking } from './index/entry-chunks.ts'
import { defaultRecallSettings, type RecallSettings } from './recall/recall-request.ts'

/** The settings of a memory: upstream's, under our names. */
export type MemorySettings = {
  recall: RecallSettings
  /** Number of hits if a search gives none. */
  topK: number
  chunking: EntryChunking
  bootstrap: BootstrapSettings
  /** Rereads every file before each bootstrap, not only changed ones. */
  syncOnBootstrap: boolean
  /** Number of newest backups to keep; null keeps all. */
  backupsKept: number | null
  /** Tiers whose text may be replaced and deleted. */
  mutableTiers?: readonly string[]
  lockTimeoutMs: number
  /** Minimum cosine of an entry that is relevant to a task; null if unknown for this model. */
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
