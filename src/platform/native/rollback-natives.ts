import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { objectOf, parseJsonOrUndefined } from '../json.ts'
import { writeFileAtomically } from '../file/files.ts'

/** The native folders of each executable that `og upgrade --rollback` may restore. */
type KeptFolders = Record<string, string[]>

/**
 * Records which folders below `root` the executable at `path` loads. `og gc` in another version
 * then keeps them as long as that executable exists.
 */
export async function recordRollbackNatives(
  root: string,
  { path, folders }: { path: string; folders: readonly string[] },
): Promise<void> {
  try {
    await mkdir(root, { recursive: true, mode: 0o700 })
    await note(root, path, folders)
  } catch (error) {
    // `og gc` cannot delete anything in a read-only folder either.
    const { code } = error as { code?: string }
    if (!['EROFS', 'EACCES', 'EPERM'].includes(code ?? '')) throw error
  }
}

async function note(root: string, path: string, folders: readonly string[]): Promise<void> {
  const others = Object.entries(await keptBelow(root)).filter(([it]) => existsSync(it))
  const folderLists = { ...Object.fromEntries(others), [path]: folders }
  await writeFileAtomically(join(root, fileName), `${JSON.stringify(folderLists)}\n`, {
    mode: 0o600,
  })
}

export async function readRollbackNatives(root: string): Promise<string[]> {
  return Object.entries(await keptBelow(root)).flatMap(([path, folders]) =>
    existsSync(path) ? folders : [],
  )
}

const fileName = '.kept.json'

/** Reads the records. Returns none if they are unreadable, because a rollback can unpack again. */
async function keptBelow(root: string): Promise<KeptFolders> {
  const text = await readFile(join(root, fileName), 'utf8').catch(() => '{}')
  const isKept = (it: [string, unknown]): it is [string, string[]] => Array.isArray(it[1])
  const content = objectOf(parseJsonOrUndefined(text))
  return Object.fromEntries(Object.entries(content).filter(isKept))
}
