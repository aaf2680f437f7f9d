import { existsSync } from 'node:fs'
import { access, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, OgError } from '../platform/error.ts'
import { remoteBucketOf } from '../store/remote/remote-bucket.ts'

const storeFiles = new Set(['registry.json', 'generations', 'locks', 'embeddings.sqlite'])

/**
 * Rejects a store path that the user gave and that does not exist, because a misspelled path is not
 * an empty store.
 * @throws OgError if the folder is missing or is not a store
 */
export async function checkStoreFolder({
  dbPath,
  isStoreNamed,
}: {
  dbPath: string
  isStoreNamed: boolean
}): Promise<void> {
  if (!isStoreNamed) return
  const remote = remoteBucketOf(dbPath)
  const fail = (why: string): never => {
    throw new OgError(`Cannot read store ${remote?.place ?? dbPath}: ${why}`, {
      hint: 'OG_DB_PATH or the setting db_path is its path; "og add" creates a store there',
    })
  }
  if (remote !== null) {
    await remote.refresh()
    return existsSync(join(dbPath, 'registry.json')) ? undefined : fail('it holds no index of og')
  }
  await access(dbPath).catch(() => fail('there is no such folder'))
  const names = await readdir(dbPath).catch((error) => fail(messageOf(error)))
  if (names.length > 0 && !names.some((name) => storeFiles.has(name)))
    fail('it holds no index of og')
}
