import { lstat, readdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { lockJobs } from './jobs/job-folder.ts'
import { rawMarkName, readRawMark } from '../source/raw-pages.ts'
import { clearStore, storeContent } from '../store/clear.ts'
import type { Entry } from '../store/registry.ts'
import { deleteOldJobs } from './jobs/start-job.ts'
import { isAutomaticLabel } from '../version/version.ts'
import { lockStoreForClearing, lockVersion, versionLockName } from './lock.ts'
import { listRaw } from './add/extract.ts'

export type Places = { dbPath: string; rawDataPath: string }

export type ClearableContent = {
  libraries: number
  versions: number
  chunks: number
  /** True if the registry is damaged. The content of the generations is then unknown. */
  isDamaged: boolean
  generations: number
  hasCache: boolean
  rawFolders: string[]
  rawOthers: number
}

export async function countClearable({ dbPath, rawDataPath }: Places): Promise<ClearableContent> {
  const { entries, generations, hasCache } = await storeContent(dbPath)
  const all = entries ?? []
  const rawFolders = await markedFolders(rawDataPath, 0)
  const others = (await listRaw(rawDataPath)).filter(({ path }) => !rawFolders.includes(path))
  return {
    libraries: new Set(all.map((entry) => entry.key)).size,
    versions: all.length,
    chunks: all.reduce((sum, entry) => sum + entry.live.chunks, 0),
    isDamaged: entries === null,
    generations: generations.length,
    hasCache,
    rawFolders,
    rawOthers: others.length,
  }
}

/**
 * Waits until no writer holds a library version, and then deletes all of them, including versions
 * added during the wait.
 * @returns the number of generations that stay because they have readers; the next writer's sweep
 * deletes them
 */
export async function clearIndex(
  dbPath: string,
  waiting: { lockTimeoutMs: number; onWait?: () => void; signal?: AbortSignal },
): Promise<number> {
  using locks = new DisposableStack()
  const { entries, generations, hasCache } = await storeContent(dbPath)
  if (entries?.length === 0 && generations.length === 0 && !hasCache) return 0
  // Allow only one run at a time, because two runs that each hold some versions would deadlock.
  locks.use(await lockStoreForClearing(dbPath, waiting))
  const held = new Set<string>()
  for (;;) {
    let unheld: Entry[] = []
    const inUse = await clearStore(dbPath, (all) => {
      unheld = all.filter((entry) => !held.has(versionLockName(entry)))
      return unheld.length === 0
    })
    if (inUse !== null) {
      using _turn = await lockJobs(dbPath, waiting)
      await deleteOldJobs(dbPath, 0)
      return inUse.length
    }
    // A writer of a folder takes the folder's lock before the lock of the version label.
    const first = (it: Entry) => Number(!isAutomaticLabel({ ...it.live, version: it.version }))
    for (const { library, version, live } of unheld.sort((a, b) => first(a) - first(b))) {
      const name = versionLockName({ library, version, live })
      const target = { library, version, live, ...waiting }
      if (!held.has(name)) locks.use(await lockVersion(dbPath, target))
      held.add(name)
    }
  }
}

export async function clearRawPages(rawDataPath: string): Promise<void> {
  for (const folder of await markedFolders(rawDataPath, 0)) {
    const mark = await readRawMark(folder)
    for (const name of mark?.files ?? []) await deleteFile(join(folder, name))
    await rm(join(folder, '.og-new'), { recursive: true, force: true })
    await deleteFile(join(folder, rawMarkName))
    await deleteEmpty(folder, rawDataPath)
  }
}

/**
 * Searches as many levels deep as upstream and og write. Does not follow links, because og did not
 * write their targets.
 */
async function markedFolders(folder: string, depth: number): Promise<string[]> {
  const inside = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const own = inside.some((it) => it.isFile() && it.name === rawMarkName) ? [folder] : []
  if (depth >= 8) return own
  const folders = inside.filter((it) => it.isDirectory() && !it.name.startsWith('.'))
  const nested = folders.map(({ name }) => markedFolders(join(folder, name), depth + 1))
  return [...own, ...(await Promise.all(nested)).flat()]
}

async function deleteFile(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => null)
  if (stats?.isFile()) await rm(path)
}

async function deleteEmpty(folder: string, root: string): Promise<void> {
  let at = folder
  while (
    at !== root &&
    (await rmdir(at).then(
      () => true,
      () => false,
    ))
  )
    at = dirname(at)
}
