import { constants, existsSync } from 'node:fs'
import { access, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../platform/error.ts'
import { runCheck, type Check, type CheckResult } from '../platform/check.ts'
import { tryLockExclusive } from '../platform/lock.ts'
import { freeBytes, canWrite } from '../platform/file/space.ts'
import { formatCount } from '../platform/text/count.ts'
import { listBackups } from './backup/backup-list.ts'
import { verifyBackup } from './backup/backup.ts'
import { countOutdatedRows } from './index/index-rows.ts'
import { readChanges, findUnfinishedChange } from './write/journal.ts'
import { emptyIndex } from './index/memory-index.ts'
import { privatePath } from './memory-files.ts'
import type { MemorySearch } from './memory-search.ts'
import { resolveExistingFile, readMemoryText } from './write/memory-file.ts'
import { parseRelations } from './relation/relation.ts'
import { listBackedUpFiles } from './write/restore-stage.ts'
import { searchedFiles } from './index/sync.ts'
import { isOwnFile, type Workspace } from './workspace.ts'

type MemoryPatient = { workspace: Workspace; search: MemorySearch }

/** Checks every part of a memory. Changes only the index, which can be rebuilt from the files. */
export async function examineMemory({ workspace, search }: MemoryPatient): Promise<Check[]> {
  return [
    await runCheck('folder', () => folderVerdict(workspace)),
    await runCheck('files', () => filesVerdict(workspace)),
    await runCheck('relations', () => relationsVerdict(workspace)),
    await runCheck('journal', () => journalVerdict(workspace)),
    await runCheck('index', () => indexVerdict(workspace, search)),
    await runCheck('embeddings', () => embeddingsVerdict(search)),
    await runCheck('backups', () => backupsVerdict(workspace)),
  ]
}

/** Deletes a damaged index and rebuilds it from the files. */
export async function repairIndex({ search }: MemoryPatient): Promise<void> {
  if (damageOf(search) !== null) emptyIndex(search.index)
  await search.sync({ force: true })
}

async function folderVerdict({ path }: Workspace): Promise<CheckResult> {
  const { mode } = await stat(path)
  if (process.platform !== 'win32' && (mode & 0o002) !== 0) {
    const hint = `chmod o-w ${path}`
    return { ok: false, detail: `${path} can be written by every user of this machine`, hint }
  }
  if (!(await canWrite(path))) {
    return { ok: true, detail: `${path} is read-only: it can be searched, nothing can be written` }
  }
  const free = await freeBytes(path)
  const detail = `${path} can be written, ${(free / 1e9).toFixed(1)} GB free`
  if (free >= 50e6) return { ok: true, detail }
  return { ok: false, detail, hint: 'free 50 MB: a backup needs as much space as its files' }
}

async function filesVerdict(workspace: Workspace): Promise<CheckResult> {
  const names = await listBackedUpFiles(workspace)
  const isWritten = await canWrite(workspace.path)
  const faults = await foreignFiles(workspace)
  for (const name of names) {
    const reading = Promise.try(() => resolveExistingFile(workspace, name)).then(readMemoryText)
    const fault = await reading.then(() => null, messageOf)
    if (fault !== null) faults.push(fault.includes(name) ? fault : `${name}: ${fault}`)
    const isLocked =
      isWritten &&
      (await access(join(workspace.path, name), constants.W_OK).then(
        () => false,
        () => true,
      ))
    if (fault === null && isLocked) faults.push(`${name} cannot be written`)
  }
  if (faults.length === 0)
    return { ok: true, detail: `${formatCount(names.length, 'file')} of text` }
  const hint = 'og must be able to read and write them, and they must be UTF-8'
  return { ok: false, detail: faults.join('; '), hint }
}

/**
 * Returns the names of files that og ignores in the memory folder: links to the outside, folders
 * and pipes.
 */
async function foreignFiles({ path }: Workspace): Promise<string[]> {
  const names = await readdir(path)
  return names
    .filter((name) => name.endsWith('.md') && !name.startsWith('.') && !isOwnFile(path, name))
    .map((name) => `${name} is not read: it is not a file in the workspace`)
}

async function relationsVerdict(workspace: Workspace): Promise<CheckResult> {
  const names = await listBackedUpFiles(workspace)
  if (!names.includes('RELATIONS.md')) return { ok: true, detail: 'there is no RELATIONS.md' }
  const text = await readMemoryText(resolveExistingFile(workspace, 'RELATIONS.md'))
  const relations = parseRelations(text)
  const lines = text.split(/\r?\n/)
  const odd = lines.flatMap((line, i) =>
    /^\s*[-*]\s*\[.*\]/.test(line) && parseRelations(line).length === 0 ? [i + 1] : [],
  )
  const nPast = relations.filter(({ isPast }) => isPast).length
  const detail = `${relations.length - nPast} relations, ${nPast} past`
  if (odd.length === 0) return { ok: true, detail }
  const hint = 'a line is: - [Subject] --predicate--> [Object] (YYYY-MM-DD) - "note"'
  return { ok: false, detail: `${detail}; not read: RELATIONS.md line ${odd.join(', ')}`, hint }
}

async function journalVerdict(workspace: Workspace): Promise<CheckResult> {
  const all = await readChanges(workspace)
  const detail = `${all.length} writes can be undone`
  const path = privatePath(workspace, 'lock')
  if (existsSync(path) && (await canWrite(workspace.path))) {
    const lock = tryLockExclusive(path)
    if (lock === null) return { ok: true, detail: `${detail}; another process is writing just now` }
    lock[Symbol.dispose]()
  }
  if ((await findUnfinishedChange(workspace)) === null) return { ok: true, detail }
  const hint = 'the next write finishes it'
  return { ok: false, detail: `${detail}; the last one was cut`, hint }
}

async function indexVerdict(workspace: Workspace, search: MemorySearch): Promise<CheckResult> {
  const hint = 'og memory doctor --repair makes it again from the files'
  const damage = damageOf(search)
  if (damage !== null) return { ok: false, detail: `it is damaged: ${damage}`, hint }
  const { errors } = await search.sync()
  const [error] = errors
  if (error !== undefined) return { ok: false, detail: `cannot read ${error.file}: ${error.error}` }
  const files = await searchedFiles(workspace)
  let unlike = 0
  for (const { path } of files) {
    const text = await readMemoryText(resolveExistingFile(workspace, path))
    unlike += countOutdatedRows(search.index, { path, text })
  }
  if (unlike > 0) return { ok: false, detail: `${unlike} rows differ from the files`, hint }
  const { inMemoryBecause: why } = search.index
  const place = why === null ? 'agrees with' : `cannot be written (${why}), only kept in memory:`
  const held = `${formatCount(files.length, 'file')}, ${formatCount(nChunks(search), 'piece')}`
  return { ok: true, detail: `${place} ${held}` }
}

function nChunks({ index }: MemorySearch): number {
  const sql = 'SELECT count(*) AS n FROM chunks'
  return index.database.query<{ n: number }, []>(sql).get()!.n
}

async function embeddingsVerdict(search: MemorySearch): Promise<CheckResult> {
  const nPending = await search.embedAll(0)
  if (nPending === null) return { ok: true, detail: 'not used: the provider is "none"' }
  if (nPending === 0) return { ok: true, detail: 'all pieces are embedded' }
  const hint = 'og memory sync embeds them now, each search some'
  return { ok: true, detail: `${nPending} pieces are not embedded yet`, hint }
}

async function backupsVerdict(workspace: Workspace): Promise<CheckResult> {
  const backups = await listBackups(workspace)
  const faults: string[] = []
  for (const backup of backups) await verifyBackup(backup).catch((e) => faults.push(messageOf(e)))
  if (faults.length > 0) return { ok: false, detail: faults.join('; ') }
  const [newest] = backups
  if (newest === undefined)
    return { ok: true, detail: 'none', hint: 'og memory backup creates one' }
  return { ok: true, detail: `${backups.length} can be read, the newest ${newest.name}` }
}

function damageOf({ index }: MemorySearch): string | null {
  try {
    const sql = 'PRAGMA quick_check(1)'
    const answer = index.database.query<{ quick_check: string }, []>(sql).get()?.quick_check
    return answer === 'ok' ? null : (answer ?? 'it does not answer')
  } catch (error) {
    return messageOf(error)
  }
}
