import { field } from '../field.ts'
import type { BackupResult } from '../../memory/backup/backup.ts'
import { findBackups, listBackups, type Backup } from '../../memory/backup/backup-list.ts'
import type { ImportResult, RestoreResult } from '../../memory/backup/export-import.ts'
import type { OpenMemory } from '../../memory/session.ts'
import {
  exportedEntries,
  exportedText,
  exportFormats,
  renderExport,
} from '../../memory/foreign-export.ts'
import { foreignFormats, readForeignNotes } from '../../memory/foreign-notes.ts'
import { localTime } from '../../memory/text.ts'
import { renderTriple } from '../../memory/relation/relation.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { resultJson, withWarning, type Answer } from '../note.ts'
import { operation } from '../operation.ts'

export const backUpMemory = operation({
  name: 'memory backup',
  summary: 'make a backup of the memory',
  input: {},
  async run(memory: OpenMemory): Promise<Answer<BackupResult>> {
    return { value: await memory.backup(), notes: [] }
  },
  json: resultJson<BackupResult>,
})

export const listMemoryBackups = operation({
  name: 'memory list-backups',
  summary: 'list the backups, newest first',
  input: {},
  async run({ workspace }: OpenMemory): Promise<Answer<Backup[]>> {
    return { value: await listBackups(workspace), notes: [] }
  },
  json: ({ value }) => value.map((backup, i) => ({ spec: `-${i + 1}`, ...backup })),
})

export const restoreMemory = operation({
  name: 'memory restore',
  summary: 'restore the memory from a backup',
  input: {
    spec: field.text('-1 (the newest), a name, or the beginning of a name', { required: true }),
  },
  async run(memory: OpenMemory, { spec }): Promise<Answer<RestoreResult>> {
    return withWarning(await memory.restore(await backupNamed(memory, spec)))
  },
  json: resultJson<RestoreResult>,
})

export const importMemory = operation({
  name: 'memory import',
  summary: 'create a workspace from an archive or from the folder of another workspace',
  input: {
    path: field.text('archive or folder to read', { required: true }),
    replace: field.flag('replace the existing files after a backup'),
  },
  async run(memory: OpenMemory, { path, replace }): Promise<Answer<ImportResult>> {
    return withWarning(await memory.import(path, { replace }))
  },
  json: resultJson<ImportResult>,
})

type ImportedNotes = {
  added: number
  /** Number of notes that the memory already contains or that occur twice in the source. */
  duplicates: number
  relations: number
  known_relations: number
  skipped: string[]
}

export const importNotes = operation({
  name: 'memory import --from',
  summary: 'add the notes of another memory program',
  input: {
    path: field.text('file or folder to read', { required: true }),
    from: field.text(
      'the format: mcp-memory (JSON lines), mem0 (also OpenMemory), markdown (a folder), ' +
        'chatgpt or claude (conversations.json, memories.json)',
      { required: true, choices: foreignFormats },
    ),
    dry_run: field.flag('with --from: count the notes and write nothing'),
  },
  async run(memory: OpenMemory, { path, from, dry_run }): Promise<Answer<ImportedNotes>> {
    const notes = await readForeignNotes(path, from)
    const entries = await memory.entries()
    const bodies = new Set(entries.flatMap((entry) => [entry.body, exportedText(entry)]))
    const triples = await memory.relations({ past: true })
    const keyOf = (it: { subject: string; predicate: string; object: string }) =>
      [it.subject, it.predicate, it.object].join('\n').toLowerCase()
    const knownTriples = new Set(triples.map(keyOf))
    const value: ImportedNotes = {
      added: 0,
      duplicates: 0,
      relations: 0,
      known_relations: 0,
      skipped: notes.skipped,
    }
    for (const { content, tags } of notes.entries) {
      if (bodies.has(content)) value.duplicates++
      else if (dry_run || !(await isDuplicate(memory, content, tags))) value.added++
      else value.duplicates++
      bodies.add(content)
    }
    for (const triple of notes.relations) {
      const isKnown = knownTriples.has(keyOf(triple))
      knownTriples.add(keyOf(triple))
      if (isKnown) value.known_relations++
      else if (dry_run) value.relations++
      else {
        const reason = await memory.relate(triple).then(
          () => null,
          (error) => messageOf(error),
        )
        if (reason === null) value.relations++
        else value.skipped.push(`${renderTriple(triple)}: ${reason}`)
      }
    }
    return { value, notes: [] }
  },
  json: resultJson<ImportedNotes>,
})

type ExportedMemory = { notes: number; relations: number; files: ReadonlyMap<string, string> }

export const exportNotes = operation({
  name: 'memory export --to',
  summary: 'write the memory in the format of another program',
  input: {
    to: field.text(
      'the format: mcp-memory (JSON lines), mem0 (JSON), basic-memory (a Markdown folder)',
      { required: true, choices: exportFormats },
    ),
    dry_run: field.flag('with --to: count the notes and write nothing'),
  },
  async run(memory: OpenMemory, { to }): Promise<Answer<ExportedMemory>> {
    const entries = exportedEntries(await memory.entries(), localTime(new Date()).day)
    const relations = await memory.relations({})
    const user = memory.workspace.name
    const files = await renderExport(to, { entries, relations, user })
    return { value: { notes: entries.length, relations: relations.length, files }, notes: [] }
  },
  json: ({ value: { notes, relations } }) => ({ notes, relations }),
})

async function isDuplicate(memory: OpenMemory, content: string, tags: string[]): Promise<boolean> {
  const outcome = await memory.write({ file: 'MEMORY.md', content, tags })
  return outcome.mode === 'append' && outcome.deduplicated === true
}

export async function backupNamed({ workspace }: OpenMemory, spec: string): Promise<Backup> {
  const matches = await findBackups(workspace, spec)
  if (matches.length === 1) return matches[0]!
  if (matches.length > 1) {
    const names = matches.map(({ name }) => `\n  ${name}`).join('')
    const what = `Ambiguous spec '${spec}' matches ${matches.length} backups.`
    throw new OgError(`${what} Specify an exact timestamp:\n${names}`, { exitCode: 1 })
  }
  if ((await listBackups(workspace)).length === 0) {
    throw new OgError(`No backups found for workspace: ${workspace.path}`, { exitCode: 1 })
  }
  throw new OgError(`No backup found matching '${spec}'.`, {
    hint: '"og memory list-backups" prints them',
    exitCode: 1,
  })
}
