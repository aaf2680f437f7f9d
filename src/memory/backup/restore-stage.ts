import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { editFile, type FileBefore } from '../../platform/file/edit-file.ts'
import { syncFolder, syncTree } from '../../platform/file/files.ts'
import { appendedBytes, keptHash } from '../../platform/file/kept-file.ts'
import { type KeptBytes, removeFile } from '../../platform/file/recover-edits.ts'
import { dayFiles, topFiles } from '../memory-files.ts'
import { privatePath } from '../private-path.ts'
import type { Workspace } from '../workspace.ts'

/**
 * Replaces the present files by those of a backup, all or none. The new files are staged and
 * synced, then one rename decides; after it, the next opening of the workspace finishes the restore
 * if this call does not. Files that the backup lacks are deleted. `present` are the files as the
 * caller has backed them up: lines that another program appends later stay, and so does a file that
 * it changes otherwise.
 * @returns the files that were left as another program wrote them
 */
export async function swapFiles(
  workspace: Workspace,
  files: ReadonlyMap<string, Uint8Array>,
  present: ReadonlyMap<string, Uint8Array>,
): Promise<string[]> {
  for (const file of files.keys()) refuseLongName(file)
  const folder = privatePath(workspace, 'restore')
  const draft = `${folder}.draft`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true })
  for (const [file, bytes] of files) {
    await mkdir(dirname(join(draft, file)), { recursive: true })
    await writeFile(join(draft, file), bytes)
  }
  await writeFile(join(draft, presentName), JSON.stringify(sumsOf(present)))
  await syncTree(draft)
  await rename(draft, folder)
  await syncFolder(dirname(folder))
  return finishRestore(workspace)
}

/** File systems take 255 bytes, and a file is written beside its place under a longer name. */
const maxNameBytes = 200

function refuseLongName(file: string): void {
  const bytes = Buffer.byteLength(basename(file))
  if (bytes <= maxNameBytes) return
  const shown = `${file.slice(0, 40)}…`
  throw new OgError(
    `Cannot write "${shown}": its name has ${bytes} bytes, the limit is ${maxNameBytes}`,
    { hint: 'nothing was changed; rename the file in the archive or folder' },
  )
}

/** The file of a stage with the sums of the files that it replaces. */
const presentName = '.present.json'

type Sums = Record<string, KeptBytes>

function sumsOf(files: ReadonlyMap<string, Uint8Array>): Sums {
  return Object.fromEntries(
    [...files].map(([file, bytes]) => [file, { size: bytes.length, hash: keptHash(bytes) }]),
  )
}

/** Whether a restore was decided and is not finished. */
export function isRestoring(workspace: Workspace): boolean {
  return existsSync(privatePath(workspace, 'restore'))
}

/**
 * Finishes a restore that was decided; does nothing where there is none.
 * @returns the files that were left as another program wrote them
 */
export async function finishRestore(workspace: Workspace): Promise<string[]> {
  const folder = privatePath(workspace, 'restore')
  await rm(`${folder}.done`, { recursive: true, force: true })
  if (!isRestoring(workspace)) return []
  const all = await filesBelow(folder, '')
  const staged = all.filter((file) => file !== presentName)
  // A stage that an older og left has no sums: its files replace whatever is there.
  const sums = all.includes(presentName)
    ? (JSON.parse(await readFile(join(folder, presentName), 'utf8')) as Sums)
    : null
  const left: string[] = []
  for (const file of staged) {
    const path = join(workspace.path, file)
    await mkdir(dirname(path), { recursive: true })
    const bytes = await readFile(join(folder, file))
    if (!(await putStaged(path, bytes, sums && (sums[file] ?? absent)))) left.push(file)
  }
  for (const file of await truthFiles(workspace)) {
    if (staged.includes(file)) continue
    const path = join(workspace.path, file)
    if (sums === null) await rm(path)
    else if (sums[file] !== undefined) await removeFile(path, sums[file])
  }
  // Renamed before it is deleted: from half a stage, the next call would delete the other files.
  await rename(folder, `${folder}.done`)
  await rm(`${folder}.done`, { recursive: true, force: true })
  return left
}

/** Sums that no file has. */
const absent: KeptBytes = { size: Infinity, hash: '' }

/** Puts a staged file in its place; false if another program has changed the file there. */
async function putStaged(path: string, staged: Buffer, sums: KeptBytes | null): Promise<boolean> {
  let isOurs = true
  const plan = (before: FileBefore | null): Buffer | null => {
    isOurs = true
    if (before === null || sums === null) return staged
    const { bytes } = before
    const isPut = appendedBytes(staged, bytes) !== null
    const isBackedUp = keptHash(bytes.subarray(0, sums.size)) === sums.hash
    // If one text begins with the other, the longer one decides which of the two this is.
    if (isPut && (!isBackedUp || staged.length >= sums.size)) return null
    isOurs = isBackedUp
    return isBackedUp ? Buffer.concat([staged, bytes.subarray(sums.size)]) : null
  }
  await editFile(path, { plan, keepsAppended: true, limitMb: 4096 })
  return isOurs
}

/** The warning about files that `swapFiles` left; none where there are none. */
export function leftWarning(files: string[]): { warning?: string } {
  if (files.length === 0) return {}
  return { warning: `not restored: another program changed ${files.join(', ')} meanwhile` }
}

/** The files that a backup holds: every Markdown file of the folder itself, and the daily logs. */
export async function truthFiles(workspace: Workspace): Promise<string[]> {
  return [...(await topFiles(workspace)), ...(await dayFiles(workspace))]
}

async function filesBelow(folder: string, prefix: string): Promise<string[]> {
  const entries = await readdir(join(folder, prefix), { withFileTypes: true })
  const nested = entries.map((entry) => {
    const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`
    return entry.isDirectory() ? filesBelow(folder, name) : [name]
  })
  return (await Promise.all(nested)).flat()
}
