import { OgError } from '../platform/error.ts'
import { writeBackup } from './backup/backup.ts'
import { editText, writeFields } from './write/change.ts'
import { resolveExistingFile, textHash } from './write/memory-file.ts'
import { mainLineEnd, countCharacters, convertLineEnds } from './text.ts'
import { withWriteLock, changedMeanwhileError, type Writer } from './write/write-lock.ts'

export type CompactRequest = {
  tier: string
  content: string
  /** The expected `hash` of the file. If the file has a different hash, it does not change. */
  expect?: string
}

export type CompactResult = {
  tier: string
  chars_written: number
  /** Name of the backup of the old text. */
  backup: string
  write_id?: string
  warning?: string
}

/**
 * Replaces a whole tier with a shorter text. Agents can overwrite an append-only file only in this
 * way. A backup and the journal keep the old text.
 */
export async function compact(
  writer: Writer,
  request: CompactRequest,
  options: { tiers: readonly string[]; keep?: number },
): Promise<CompactResult> {
  const { workspace } = writer
  const { tier, content, expect } = request
  checkTier(
    workspace.customFiles.filter((file) => file.compactable).map((file) => file.name),
    { tier, tiers: options.tiers },
  )
  if (content.trim() === '') throw new OgError(`'content' cannot be empty.`)
  return withWriteLock(writer, async (turn) => {
    const place = resolveExistingFile(workspace, tier)
    const plan = async (before: string) => {
      if (expect !== undefined && expect !== textHash(before)) throw changedMeanwhileError(tier)
      const { keep } = options
      const { name: backup } = await writeBackup(workspace, turn.now, { skipUnchanged: true, keep })
      const after = convertLineEnds(`${content.toWellFormed().trim()}\n`, mainLineEnd(before))
      return { after, backup }
    }
    const { plan: planned, change } = await editText(turn, place, { op: 'compact', plan })
    const result = { tier, chars_written: countCharacters(content), backup: planned.backup }
    return { ...result, ...(change && writeFields(turn, change)) }
  })
}

function checkTier(custom: string[], { tier, tiers }: { tier: string; tiers: readonly string[] }) {
  const allowed = ['AGENTS.md', 'MEMORY.md', 'USER.md', ...custom]
  const quoted = (names: readonly string[]) => `[${names.map((name) => `'${name}'`).join(', ')}]`
  if (!allowed.includes(tier)) {
    throw new OgError(`'${tier}' is not a compactable tier. Allowed: ${quoted(allowed)}`)
  }
  if (!tiers.includes(tier) && !custom.includes(tier)) {
    throw new OgError(
      `'${tier}' is not in the configured compaction_tiers. Configured: ${quoted(tiers)}`,
    )
  }
}
