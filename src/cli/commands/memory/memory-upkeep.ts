import { existsSync } from 'node:fs'
import { loadMemoryConfig, type MemoryConfig } from '../../../config/memory.ts'
import { expandPath } from '../../../config/paths.ts'
import type { AuditEdit, Finding } from '../../../memory/audit/audit.ts'
import type { OpenedMemory } from '../../../open-memory.ts'
import {
  auditMemory,
  listWrites,
  applyAudit,
  syncMemory,
  undoWrite,
} from '../../../operation/memory/upkeep.ts'
import { runCheck, type Check } from '../../../platform/check.ts'
import { messageOf, OgError } from '../../../platform/error.ts'
import { readTextFile } from '../../../platform/file/read-file.ts'
import { command, option } from '../../command.ts'
import { confirm } from '../../terminal.ts'
import type { Context } from '../../context.ts'
import { formatCount } from '../../../platform/text/count.ts'
import { printOutcome, printJson } from '../../answer/notes.ts'
import {
  memoryFlags,
  openSelectedMemory,
  workspaceFolder,
  type MemoryOptionValues,
  memoryOptions,
  memoryPlaceOptions,
} from '../../memory.ts'
import { fieldOptions } from '../../operation-options.ts'
import { renderTable } from '../../screen/layout.ts'
import { renderChecks } from '../system/doctor.ts'

const sync = command({
  name: 'memory sync',
  summary: syncMemory.summary,
  options: { ...memoryOptions },
  async run(context, { json, ...options }) {
    const { terminal } = context
    await using memory = await openSelectedMemory(context, options)
    const outcome = await syncMemory.run(memory, { force: true })
    const result = outcome.value
    for (const { file, error } of result.errors) {
      terminal.note('warning', `cannot read ${file}: ${error}`)
    }
    await embedAll(context, memory)
    const { added, updated, skipped, deleted } = result
    const text =
      `Sync complete for workspace '${memory.workspace.name}':\n` +
      `  indexed:  ${added + updated}\n  skipped:  ${skipped}\n  deleted:  ${deleted}\n`
    await printOutcome(context, outcome, json ? syncMemory.json : text)
    return result.errors.length > 0 ? 1 : 0
  },
})

const writes = fieldOptions(listWrites.input, {
  limit: { short: 'n', defaultText: '20' },
  text: { placeholder: 'TEXT' },
})

const history = command({
  name: 'memory history',
  summary: listWrites.summary,
  positionals: { file: { doc: 'only writes to this file', optional: true } },
  options: { ...writes.options, ...memoryOptions },
  async run(context, { file, json, ...options }) {
    await using memory = await openSelectedMemory(context, options)
    const outcome = await listWrites.run(memory, { ...writes.input(options), file })
    if (json) {
      await printJson(context, listWrites.json(outcome))
      return 0
    }
    const rows = outcome.value.map(({ id, at, op, file, summary, undone, undoes }) => {
      const fate = undone ? `${op} (undone)` : undoes === undefined ? op : `${op} of ${undoes}`
      return [id, at.slice(0, 16).replace('T', ' '), fate, file, summary]
    })
    const heading = ['WRITE', 'UTC', 'WHAT', 'FILE', 'TEXT']
    if (rows.length === 0) context.terminal.note('plain', 'Nothing was written yet.')
    else {
      const { terminal } = context
      await terminal.write(renderTable([heading, ...rows], terminal.width()))
    }
    return 0
  },
})

const undo = command({
  name: 'memory undo',
  summary: undoWrite.summary,
  positionals: { write: { doc: 'ID of a write, printed by "og memory history"', optional: true } },
  options: { ...memoryOptions },
  async run(context, { write, json, ...options }) {
    await using memory = await openSelectedMemory(context, options)
    const outcome = await undoWrite.run(memory, { id: write })
    const { undone, op, file, write_id } = outcome.value
    const text = `Undid ${op} ${undone} in ${file} (write ${write_id}).\n`
    await printOutcome(context, outcome, json ? undoWrite.json : text)
    return 0
  },
})

const audit = command({
  name: 'memory audit',
  summary: auditMemory.summary,
  options: {
    patch: option.flag('print the fixes as a patch'),
    accept: option.text('PATCH', 'apply the edits of a patch; "-" is stdin'),
    fix: option.flag('apply all edits that --patch would print'),
    yes: option.flag('do not ask', { short: 'y' }),
    ...memoryOptions,
  },
  async run(context, { patch, accept, fix, yes, json, ...options }) {
    if (Number(patch) + Number(fix) + Number(accept !== null) > 1) {
      throw new OgError('Cannot use --patch, --accept and --fix together: give one of them')
    }
    const audit = await import('../../../memory/audit/audit-patch.ts')
    const { editsToApply, parsePatch, renderPatch } = audit
    const accepted = accept === null ? null : parsePatch(await patchText(context, accept))
    await using memory = await openSelectedMemory(context, options)
    if (accepted !== null) return await applyEdits(context, memory, { edits: accepted, json })
    const outcome = await auditMemory.run(memory, {})
    const findings = outcome.value
    const edits = editsToApply(findings)
    if (fix) {
      const what = `make ${formatCount(edits.length, 'edit')} in ${memory.workspace.path}`
      if (edits.length > 0 && !(await confirm(context.terminal, { what, yes }))) return 1
      return await applyEdits(context, memory, { edits, json })
    }
    if (patch) await context.terminal.write(renderPatch(edits))
    else if (json) await printJson(context, auditMemory.json(outcome))
    else await printFindings(context, findings, edits.length)
    return findings.length > 0 ? 1 : 0
  },
})

const doctor = command({
  name: 'memory doctor',
  summary: 'check settings, files, journal, index and backups of the memory',
  options: {
    repair: option.flag('rebuild the index and missing embeddings first'),
    ...memoryPlaceOptions,
    json: option.flag('print a JSON array'),
  },
  async run(context, { repair, json, ...options }) {
    const checks = await examineMemoryOf(context, options, repair)
    if (json) await printJson(context, checks)
    else await context.terminal.write(renderChecks(checks))
    return checks.every(({ ok }) => ok) ? 0 : 1
  },
})

export const memoryUpkeepCommands = [sync, history, undo, audit, doctor]

/**
 * Embeds all entries. If the embedder fails, prints a warning, because the index also works without
 * embeddings.
 */
async function embedAll({ terminal }: Context, { search }: OpenedMemory): Promise<void> {
  try {
    for (let left = await search.embedAll(500); left; left = await search.embedAll(500)) {
      terminal.showStatus(`Embedding: ${left} left`)
    }
  } catch (error) {
    terminal.note('warning', `not all entries are embedded: ${messageOf(error)}`)
  } finally {
    terminal.showStatus('')
  }
}

async function patchText({ env, terminal }: Context, argument: string): Promise<string> {
  if (argument === '-') return terminal.input()
  const path = expandPath(argument, env)
  return readTextFile(path, { limitMb: 64 }).catch((cause) => {
    throw new OgError(`Cannot read ${path}: ${messageOf(cause)}`, { cause })
  })
}

async function applyEdits(
  context: Context,
  memory: OpenedMemory,
  { edits, json }: { edits: readonly AuditEdit[]; json: boolean },
): Promise<number> {
  const outcome = await applyAudit.run({ memory, edits }, {})
  const { edits: made, files } = outcome.value
  const where = files.length === 0 ? '' : ` in ${files.join(', ')}`
  const text = `Made ${formatCount(made, 'edit')}${where}.\n`
  await printOutcome(context, outcome, json ? applyAudit.json : text)
  return 0
}

async function printFindings(
  { terminal }: Context,
  findings: readonly Finding[],
  nEdits: number,
): Promise<void> {
  const lines = findings.map(({ kind, file, start_line, end_line, message, fix }) => {
    const mark = fix === undefined ? '' : ' [fixable]'
    return `${file}:${start_line}-${end_line}: ${kind.replaceAll('_', ' ')}: ${message}${mark}\n`
  })
  await terminal.write(lines.join(''))
  terminal.note('plain', `${formatCount(findings.length, 'finding')}.`)
  if (nEdits > 0)
    terminal.note('hint', '--patch prints the edits that fix them, --accept applies them')
}

/** Checks the settings first. The other checks need valid settings and an existing memory. */
async function examineMemoryOf(
  context: Context,
  options: MemoryOptionValues,
  repair: boolean,
): Promise<Check[]> {
  let config: MemoryConfig | null = null
  const settings = await runCheck('settings', async () => {
    config = await loadMemoryConfig(context.env, memoryFlags(context, options))
    const set = [...config.origins].filter(([, origin]) => origin !== 'default')
    const keys = set.map(([key, origin]) => `${key} (${origin})`).join(', ') || 'none'
    const place = workspaceFolder(config)
    if (existsSync(place)) return { ok: true, detail: `${place}; set: ${keys}` }
    const hint = 'og memory write creates it; --root and --workspace select another'
    return { ok: false, detail: `there is no memory at ${place}; set: ${keys}`, hint }
  })
  if (!settings.ok) return [settings]
  const { examineMemory, repairIndex } = await import('../../../memory/doctor.ts')
  const opening = openSelectedMemory(context, options)
  const opened = await runCheck('opening', () => opening.then(() => ({ ok: true, detail: '' })))
  if (!opened.ok) return [settings, opened]
  await using memory = await opening
  if (repair) {
    await repairIndex(memory)
    await embedAll(context, memory)
  }
  return [settings, ...(await examineMemory(memory))]
}
