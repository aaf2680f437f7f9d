import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { openRemote } from '../../../src/store/remote/open-remote.ts'
import { createWorld, type World } from '../e2e.ts'
import { skipProbe } from '../remotes.ts'
import { homePaths } from '../run/home-paths.ts'
import type { BucketServer } from './bucket-server.ts'

/**
 * Creates a simulated machine that uses a store in the bucket. It has its own mirror. It shares the
 * unpacked native libraries with other tests, and has already probed the bucket.
 */
export async function createBucketMachine({ address, access, env }: BucketServer): Promise<World> {
  const world = await createWorld()
  const shared = world.env['OG_CACHE_DIR']!
  const cachePath = join(world.folder, 'home', homePaths.cache)
  mkdirSync(cachePath, { recursive: true })
  for (const name of ['natives', 'verified']) {
    mkdirSync(join(shared, name), { recursive: true, mode: 0o700 })
    symlinkSync(join(shared, name), join(cachePath, name))
  }
  Object.assign(world.env, env, { OG_CACHE_DIR: cachePath, OG_DB_PATH: address })
  skipProbe(await openRemote({ address, access, cachePath, cacheBytes: 1e9, warn() {} }))
  return world
}
