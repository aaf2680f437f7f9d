import { defaultBootstrapSettings, type BootstrapSettings } from './bootstrap/bootstrap.ts'
import { defaultChunking, type EntryChunking } from './index/entry-chunks.ts'
import { defaultRecallSettings, type RecallSettings } from './recall/recall-request.ts'

/** Upstream's settings with og's names. */
export type MemorySettings = {
  recall: RecallSettings
  topK: number
  chunking: EntryChunking
  bootstrap: BootstrapSettings
  syncOnBootstrap: boolean
  /** Number of backups to keep; null keeps all. */
  backupsKept: number | null
  mutableTiers?: readonly string[]
  lockTimeoutMs: number
  /**
   * Minimum cosine of an entry that is relevant to a task; null if no value is known for the model.
   */
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
