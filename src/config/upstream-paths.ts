import { join } from 'node:path'
import type { Environment } from './env.ts'
import { dataHome } from './paths.ts'

/** The path of the statistics file, which upstream and og both write; no setting names it. */
export function statsFile(env: Environment, platform = process.platform): string {
  return join(dataHome(env, platform), 'openground', 'stats.json')
}

/** The default folder of raw pages: that of upstream. */
export function defaultRawPages(env: Environment, platform = process.platform): string {
  return join(dataHome(env, platform), 'openground', 'raw_data')
}

/**
 * The folders that upstream may have written as `db_path` without being asked. It froze the
 * absolute path of its first run, so XDG_DATA_HOME may have been set or unset since.
 */
export function upstreamStores(env: Environment, platform = process.platform): string[] {
  const homes = [dataHome(env, platform), dataHome({ ...env, XDG_DATA_HOME: '' }, platform)]
  return homes.map((home) => join(home, 'openground', 'lancedb'))
}
