import { writeFile } from 'node:fs/promises'
import { loadMemoryConfig } from '../../../config/memory.ts'
import { expandPath } from '../../../config/paths.ts'
import type { Backup } from '../../../memory/backup/backup-list.ts'
import type { OpenedMemory } from '../../../open-memory.ts'
import { backUpMemory } from '../../../operation/memory/keep.ts'
import { OgError } from '../../../platform/error.ts'
import { writeFileAtomically } from '../../../platform/file/files.ts'
import { command } from '../../command.ts'
import { counted } from '../../../platform/text/counted.ts'
import { printOutcome, writeJson } from '../../answer/memory-answer.ts'
import {
  jsonOption, memoryFlags, memoryOptions, openTypedMemory, workspaceFolder,
} from '../../memory.ts'

const backup = command({
  name: 'memory backup',
  summary: backUpMemory.summary,
  details: ['An archive of all Markdown files, in the folder backups of the workspace.'],
  positionals: {},
  options: { ...memoryOptions, ...jsonOption },
  examples: ['og memory backup', 'og memory backup -w work'],
  async run(context, { json, ...typed }) {
    await using memory = await openTypedMemory(context, typed)
    const outcome = await backUpMemory.run(memory, {})
    const { name, path } = outcome.value
    await printOutcome(context, outcome, json ? backUpMemory.json : () =>
      `Backup created: ${name}\n  → ${path}\n`)
    return 0
  },
})

const listBackups = command({
  name: 'memory list-backups',
  summary: 'list the backups, newest first',
  positionals: {},
  options: { ...memoryOptions, ...jsonOption },
  examples: ['og memory list-backups'],
  async run(context, { json, ...typed }) {
    await using memory = await openTypedMemory(context, typed)
    const { name, path } = memory.workspace
    const backups = (await backupsOf(memory)).map((one, i) => ({ spec: `-${i + 1}`, ...one }))
    if (json) await writeJson(context, backups)
    else if (backups.length === 0) {
      await context.terminal.write(`No backups found for workspace: ${path}\n`)
    } else {
      const lines = backups.map((one) => `  ${one.spec}  ${one.name}\n`)
      await context.terminal.write(`Backups for workspace '${name}':\n${lines.join('')}`)
    }
    return 0
  },
})

const restore = command({
  name: 'memory restore',
  summary: 'make the memory what a backup holds',
  details: [
    'SPEC is -1 for the newest backup, -2 for the one before, a name, or the beginning of one ' +
      '(a date). The backup is checked first, the present is backed up, and all files change ' +
      'together. The exit code is 1 where SPEC names no backup, or more than one.',
  ],
  positionals: {
    spec: { doc: '-1, 2026-04-08, 2026-04-08_165530', negative: true, suggest: 'backup' },
  },
  options: {
    yes: { type: 'switch', short: 'y', doc: 'do not ask' },
    ...memoryOptions,
    ...jsonOption,
  },
  examples: ['og memory restore -1', 'og memory restore 2026-04-08 --yes'],
  async run(context, { spec, yes, json, ...typed }) {
    const { terminal } = context
    await using memory = await openTypedMemory(context, typed)
    const chosen = await oneBackup(memory, spec)
    if (!yes && !terminal.canAsk) {
      throw new OgError(`Cannot ask whether to restore ${chosen.name}: this is no terminal`, {
        hint: 'pass --yes',
      })
    }
    const say = async (text: string) => (json ? undefined : terminal.write(text))
    await say(`Restoring backup: ${chosen.name}\n  → workspace: ${memory.workspace.path}\n\n`)
    if (!yes && !(await terminal.ask('Proceed?'))) {
      await say('Aborted.\n')
      return 0
    }
    const result = await memory.restore(chosen)
    if (json) await writeJson(context, result)
    await say(
      `\nRestored successfully from '${chosen.name}'.\n` +
        'If an MCP server is running against this workspace, restart it.\n',
    )
    terminal.note('plain', `What was there before is backup ${result.backup}.`)
    if (result.warning !== undefined) terminal.note('warning', result.warning)
    return 0
  },
})

const exported = command({
  name: 'memory export',
  summary: 'write the memory, or one of its backups, into an archive',
  details: ['A ZIP of the Markdown files, which og and GroundMemory read as a backup.'],
  positionals: { path: { doc: 'the archive to write; a file that is there is kept' } },
  options: {
    backup: {
      type: 'text',
      placeholder: 'SPEC',
      doc: 'write this backup: -1 (the newest), a name, or the beginning of one',
      negative: true,
      suggest: 'backup',
    },
    force: { type: 'switch', doc: 'write over a file that is there' },
    ...memoryOptions,
    ...jsonOption,
  },
  examples: ['og memory export memory.zip', 'og memory export april.zip --backup 2026-04-08'],
  async run(context, { path: typedPath, backup: spec, force, json, ...typed }) {
    const path = expandPath(typedPath, context.env)
    await using memory = await openTypedMemory(context, typed)
    const { bytes, files } = spec === null ? await memory.export() : await bytesOf(memory, spec)
    await writeNew(path, bytes, force)
    if (json) await writeJson(context, { path, files })
    else await context.terminal.write(`Exported ${counted(files, 'file')} to ${path}\n`)
    return 0
  },
})

const imported = command({
  name: 'memory import',
  summary: 'make a workspace of an archive, or of the folder of another workspace',
  details: [
    'PATH is what "og memory export" or a backup wrote, here or by GroundMemory, or the folder ' +
      'of a workspace. The workspace has to be new; --replace backs up what is in it first.',
  ],
  positionals: { path: { doc: 'archive or folder to read' } },
  options: {
    replace: { type: 'switch', doc: 'replace what is there, after a backup of it' },
    ...memoryOptions,
    ...jsonOption,
  },
  examples: [
    'og memory import memory.zip -w laptop',
    'og memory import ~/old/.groundmemory/default -w old',
    'og memory import memory.zip --replace',
  ],
  async run(context, { path, replace, json, ...typed }) {
    const config = await loadMemoryConfig(context.env, memoryFlags(context, typed))
    await using memory = await openTypedMemory(context, typed, { writes: true })
    const result = await memory.import(expandPath(path, context.env), { replace })
    const { files, backup: before } = result
    if (json) await writeJson(context, result)
    else {
      const place = workspaceFolder(config)
      await context.terminal.write(`Imported ${counted(files, 'file')} into ${place}\n`)
    }
    const { terminal } = context
    if (before !== null) terminal.note('plain', `What was there before is backup ${before}.`)
    if (result.warning !== undefined) terminal.note('warning', result.warning)
    return 0
  },
})

/** The commands of `og memory` that back up, restore, export and import. */
export const memoryBackupCommands = [backup, listBackups, restore, exported, imported]

async function backupsOf({ workspace }: OpenedMemory): Promise<Backup[]> {
  const { listBackups } = await import('../../../memory/backup/backup-list.ts')
  return listBackups(workspace)
}

/** Upstream's messages (spec §7). */
async function oneBackup(memory: OpenedMemory, spec: string): Promise<Backup> {
  const { findBackups } = await import('../../../memory/backup/backup-list.ts')
  if ((await backupsOf(memory)).length === 0) {
    throw new OgError(`No backups found for workspace: ${memory.workspace.path}`, { exitCode: 1 })
  }
  const matches = await findBackups(memory.workspace, spec)
  if (matches.length === 1) return matches[0]!
  if (matches.length === 0) {
    throw new OgError(`No backup found matching '${spec}'.`, {
      hint: '"og memory list-backups" prints them',
      exitCode: 1,
    })
  }
  const names = matches.map(({ name }) => `\n  ${name}`).join('')
  const what = `Ambiguous spec '${spec}' matches ${matches.length} backups.`
  throw new OgError(`${what} Specify an exact timestamp:\n${names}`, { exitCode: 1 })
}

async function bytesOf(memory: OpenedMemory, spec: string) {
  const { readBackup } = await import('../../../memory/backup/backup.ts')
  const chosen = await oneBackup(memory, spec)
  const { size: files } = await readBackup(chosen)
  return { bytes: await Bun.file(chosen.path).bytes(), files }
}

async function writeNew(path: string, bytes: Uint8Array, force: boolean): Promise<void> {
  const writing = force
    ? writeFileAtomically(path, bytes)
    : writeFile(path, bytes, { flag: 'wx', flush: true })
  await writing.catch((cause: NodeJS.ErrnoException) => {
    const isThere = cause.code === 'EEXIST'
    throw new OgError(`Cannot write ${path}: ${isThere ? 'it exists' : cause.message}`, {
      hint: isThere ? '--force writes over it' : undefined,
      cause,
    })
  })
}
