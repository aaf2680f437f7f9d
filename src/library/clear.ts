import { lstat, readdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { rawMarkName, readRawMark } from '../source/raw-pages.ts'
import { clearStore, storeContent } from '../store/clear.ts'
import type { Entry } from '../store/registry.ts'
import { forgetOldJobs } from './jobs/end-job.ts'
import { isFollowing } from '../version/following.ts'
import { lockClearing, lockVersion, versionLockName } from './lock.ts'
import { listRaw } from './add/raw.ts'

export type Places = { dbPath: string; rawDataPath: string }

/** What og made, and so what may be deleted. */
export type Clearable = {
  libraries: number
  versions: number
  chunks: number
  /** The registry is damaged: nobody knows what is in the generations. */
  isDamaged: boolean
  generations: number
  hasCache: boolean
  /** Folders of raw pages that og wrote, and versions that somebody else did. */
  rawFolders: string[]
  rawOthers: number
}

/** Counts without changing anything. @throws OgError where the folder is no store of this og */
export async function clearable({ dbPath, rawDataPath }: Places): Promise<Clearable> {
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
 * Deletes every library version of the store, once nobody writes it; also those that are added
 * while others are waited for. @returns how many generations stay for now, since somebody reads
 * them; the next writer's sweep takes them
 */
export async function clearIndex(
  dbPath: string,
  waiting: { lockTimeoutMs: number; onWait?: () => void; signal?: AbortSignal },
): Promise<number> {
  using locks = new DisposableStack()
  const { entries, generations, hasCache } = await storeContent(dbPath)
  if (entries?.length === 0 && generations.length === 0 && !hasCache) return 0
  // One at a time: two that held some of the versions each would wait for each other.
  locks.use(await lockClearing(dbPath, waiting))
  const held = new Set<string>()
  for (;;) {
    let unheld: Entry[] = []
    const inUse = await clearStore(dbPath, (all) => {
      unheld = all.filter((entry) => !held.has(versionLockName(entry)))
      return unheld.length === 0
    })
    if (inUse !== null) {
      await forgetOldJobs(dbPath, 0)
      return inUse.length
    }
    // A writer of a folder holds the lock of that first, then the one of its label.
    const first = (it: Entry) => Number(!isFollowing({ ...it.live, version: it.version }))
    for (const { library, version, live } of unheld.sort((a, b) => first(a) - first(b))) {
      const name = versionLockName({ library, version, live })
      const named = { library, version, live, ...waiting }
      if (!held.has(name)) locks.use(await lockVersion(dbPath, named))
      held.add(name)
    }
  }
}

/** Deletes the files that og wrote below `raw_data`, and folders that are empty then. */
export async function clearRawPages(rawDataPath: string): Promise<void> {
  for (const folder of await markedFolders(rawDataPath, 0)) {
    const mark = await readRawMark(folder)
    for (const name of mark?.files ?? []) await deleteFile(join(folder, name))
    await rm(join(folder, '.og-new'), { recursive: true, force: true })
    await deleteFile(join(folder, rawMarkName))
    await deleteEmpty(folder, rawDataPath)
  }
}

/** As deep as upstream and og go. Links are not followed: what lies behind them is not ours. */
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

/** Upwards to `root`, which stays. */
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
