import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { loadMemoryConfig } from '../../../config/memory.ts'
import { expandPath } from '../../../config/paths.ts'
import type { OpenedMemory } from '../../../open-memory.ts'
import {
  backUpMemory,
  backupNamed,
  exportNotes,
  importMemory,
  importNotes,
  listMemoryBackups,
  restoreMemory,
} from '../../../operation/memory/backup.ts'
import { messageOf, OgError } from '../../../platform/error.ts'
import { writeFileAtomically } from '../../../platform/file/files.ts'
import { command, option } from '../../command.ts'
import { fieldOptions } from '../../operation-options.ts'
import { formatCount } from '../../../platform/text/count.ts'
import { printOutcome, printJson } from '../../answer/notes.ts'
import { memoryFlags, openSelectedMemory, workspaceFolder, memoryOptions } from '../../memory.ts'

const backup = command({
  name: 'memory backup',
  summary: backUpMemory.summary,
  options: { ...memoryOptions },
  async run(context, { json, ...options }) {
    await using memory = await openSelectedMemory(context, options)
    const outcome = await backUpMemory.run(memory, {})
    const { name, path } = outcome.value
    const text = `Backup created: ${name}\n  → ${path}\n`
    await printOutcome(context, outcome, json ? backUpMemory.json : text)
    return 0
  },
})

const listBackups = command({
  name: 'memory list-backups',
  summary: listMemoryBackups.summary,
  options: { ...memoryOptions },
  async run(context, { json, ...options }) {
    await using memory = await openSelectedMemory(context, options)
    const { name, path } = memory.workspace
    const outcome = await listMemoryBackups.run(memory, {})
    const backups = listMemoryBackups.json(outcome)
    const lines = backups.map(({ spec, name }) => `  ${spec}  ${name}\n`).join('')
    await printOutcome(context, outcome, () =>
      json
        ? backups
        : lines === ''
          ? `No backups found for workspace: ${path}\n`
          : `Backups for workspace '${name}':\n${lines}`,
    )
    return 0
  },
})

const restore = command({
  name: 'memory restore',
  summary: restoreMemory.summary,
  positionals: {
    spec: { doc: '-1, 2026-04-08, 2026-04-08_165530', negative: true, suggest: 'backup' },
  },
  options: { yes: option.flag('do not ask', { short: 'y' }), ...memoryOptions },
  async run(context, { spec, yes, json, ...options }) {
    const { terminal } = context
    await using memory = await openSelectedMemory(context, options)
    const chosen = await backupNamed(memory, spec)
    if (!yes && !terminal.canAsk) {
      throw new OgError(`Cannot ask whether to restore ${chosen.name}: this is not a terminal`, {
        hint: 'pass --yes',
      })
    }
    const say = async (text: string) => (json ? undefined : terminal.write(text))
    await say(`Restoring backup: ${chosen.name}\n  → workspace: ${memory.workspace.path}\n\n`)
    if (!yes && !(await terminal.ask('Proceed?'))) {
      await say('Aborted.\n')
      return 0
    }
    const outcome = await restoreMemory.run(memory, { spec: chosen.name })
    const text =
      `\nRestored successfully from '${chosen.name}'.\n` +
      'If an MCP server is running against this workspace, restart it.\n'
    await printOutcome(context, outcome, json ? restoreMemory.json : text)
    terminal.note('plain', `The previous files are in backup ${outcome.value.backup}.`)
    return 0
  },
})

const exportFields = fieldOptions(exportNotes.input, { to: { placeholder: 'FORMAT' }, dry_run: {} })

const exportCommand = command({
  name: 'memory export',
  summary: 'write the memory, or one of its backups, into an archive',
  positionals: { path: { doc: 'the archive, file or folder to write; an existing one is kept' } },
  options: {
    backup: option.text(
      'SPEC',
      'write this backup: -1 (the newest), a name, or the beginning of a name',
      { negative: true, suggest: 'backup' },
    ),
    ...exportFields.options,
    force: option.flag('overwrite existing files'),
    ...memoryOptions,
  },
  async run(context, { path: typedPath, backup: spec, force, json, ...options }) {
    const { to, 'dry-run': dryRun } = options
    if (to === null && dryRun) throw new OgError('Cannot use --dry-run without --to')
    if (to !== null && spec !== null) throw new OgError('Cannot use both --backup and --to')
    const path = expandPath(typedPath, context.env)
    await using memory = await openSelectedMemory(context, options)
    if (to !== null) {
      const outcome = await exportNotes.run(memory, { to, dry_run: dryRun })
      const { notes, relations, files } = outcome.value
      if (!dryRun) await writeExport(path, files, force)
      const counts = `${formatCount(notes, 'note')} and ${formatCount(relations, 'relation')}`
      const text = dryRun ? `Would export ${counts}\n` : `Exported ${counts} to ${path}\n`
      const result = { ...(!dryRun && { path }), ...exportNotes.json(outcome) }
      await printOutcome(context, outcome, () => (json ? result : text))
      return 0
    }
    const { bytes, files } = spec === null ? await memory.export() : await bytesOf(memory, spec)
    await writeNew(path, bytes, force)
    if (json) await printJson(context, { path, files })
    else await context.terminal.write(`Exported ${formatCount(files, 'file')} to ${path}\n`)
    return 0
  },
})

const importFields = fieldOptions(importMemory.input, { replace: {} })
const noteFields = fieldOptions(importNotes.input, { from: { placeholder: 'FORMAT' }, dry_run: {} })

type Imported = Awaited<ReturnType<typeof importNotes.run>>['value']

function renderImported(imported: Imported, dryRun: boolean): string {
  const { added, duplicates, relations, known_relations: relationsBefore, skipped } = imported
  const verb = dryRun ? 'Would add' : 'Added'
  const reasons = skipped.slice(0, 10).map((reason) => `  left out: ${reason}\n`)
  const more = skipped.length > 10 ? `  and ${skipped.length - 10} more left out\n` : ''
  return (
    `${verb} ${formatCount(added, 'note')} and ${formatCount(relations, 'relation')}; ` +
    `${duplicates + relationsBefore} are there already.\n${reasons.join('')}${more}`
  )
}

const importCommand = command({
  name: 'memory import',
  summary: importMemory.summary,
  positionals: { path: { doc: importMemory.input.path.doc } },
  options: { ...importFields.options, ...noteFields.options, ...memoryOptions },
  async run(context, { path, json, ...options }) {
    const { from, 'dry-run': dryRun, replace } = options
    if (from === null && dryRun) throw new OgError('Cannot use --dry-run without --from')
    if (from !== null && replace) throw new OgError('Cannot use both --from and --replace')
    const config = await loadMemoryConfig(context.env, memoryFlags(context, options))
    await using memory = await openSelectedMemory(context, options, { writes: !dryRun })
    if (from !== null) {
      const source = expandPath(path, context.env)
      const outcome = await importNotes.run(memory, { path: source, from, dry_run: dryRun })
      const render = ({ value }: typeof outcome) => renderImported(value, dryRun)
      await printOutcome(context, outcome, json ? importNotes.json : render)
      return 0
    }
    const input = { ...importFields.input(options), path: expandPath(path, context.env) }
    const outcome = await importMemory.run(memory, input)
    const { files, backup: before } = outcome.value
    const text = `Imported ${formatCount(files, 'file')} into ${workspaceFolder(config)}\n`
    await printOutcome(context, outcome, json ? importMemory.json : text)
    if (before !== null) {
      context.terminal.note('plain', `The previous files are in backup ${before}.`)
    }
    return 0
  },
})

export const memoryBackupCommands = [backup, listBackups, restore, exportCommand, importCommand]

async function bytesOf(memory: OpenedMemory, spec: string) {
  const { readBackup } = await import('../../../memory/backup/backup.ts')
  const chosen = await backupNamed(memory, spec)
  const { size: files } = await readBackup(chosen)
  return { bytes: await Bun.file(chosen.path).bytes(), files }
}

async function writeExport(
  path: string,
  files: ReadonlyMap<string, string>,
  force: boolean,
): Promise<void> {
  const file = files.get('')
  if (file !== undefined) return writeNew(path, Buffer.from(file), force)
  if (force && existsSync(path)) {
    for (const [name, text] of files) await writeNew(join(path, name), Buffer.from(text), force)
    return
  }
  const prefix = join(dirname(resolve(path)), `.${basename(path)}.og-export-`)
  const staged = `${prefix}${process.pid}`
  try {
    await removeAbandoned(prefix)
    await mkdir(staged)
    for (const [name, text] of files) await writeNew(join(staged, name), Buffer.from(text), false)
    await rename(staged, path)
  } catch (cause) {
    await rm(staged, { recursive: true, force: true })
    throw unwritable(path, cause as NodeJS.ErrnoException)
  }
}

/** Removes unfinished exports of killed processes. `prefix` precedes the process id. */
async function removeAbandoned(prefix: string): Promise<void> {
  for (const name of await readdir(dirname(prefix))) {
    const pid = name.startsWith(basename(prefix)) ? name.slice(basename(prefix).length) : ''
    if (!/^[1-9]\d{0,9}$/.test(pid) || isRunning(Number(pid))) continue
    await rm(join(dirname(prefix), name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return pid !== process.pid
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

async function writeNew(path: string, bytes: Uint8Array, force: boolean): Promise<void> {
  const writing = force
    ? writeFileAtomically(path, bytes)
    : writeFile(path, bytes, { flag: 'wx', flush: true })
  await writing.catch((cause: NodeJS.ErrnoException) => {
    throw unwritable(path, cause)
  })
}

function unwritable(path: string, cause: NodeJS.ErrnoException): OgError {
  const isThere = ['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(cause.code ?? '')
  return new OgError(`Cannot write ${path}: ${isThere ? 'it exists' : messageOf(cause)}`, {
    hint: isThere ? '--force writes over it' : undefined,
    cause,
  })
}
