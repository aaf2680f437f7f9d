import { join } from 'node:path'
import type { Environment } from './env.ts'
import { dataHome } from './paths.ts'

/**
 * Returns the path of the statistics file, which both upstream and og write; no setting changes it.
 */
export function statsFile(env: Environment, platform = process.platform): string {
  return join(dataHome(env, platform), 'openground', 'stats.json')
}

/** Returns the default folder of raw pages, which is also upstream's. */
export function defaultRawPages(env: Environment, platform = process.platform): string {
  return join(dataHome(env, platform), 'openground', 'raw_data')
}

/**
 * Returns the folders that upstream may have written as `db_path` by itself. Upstream stores the
 * absolute path of its first run, when XDG_DATA_HOME may have been different.
 */
export function upstreamStores(env: Environment, platform = process.platform): string[] {
  const homes = [dataHome(env, platform), dataHome({ ...env, XDG_DATA_HOME: '' }, platform)]
  return homes.map((home) => join(home, 'openground', 'lancedb'))
}
