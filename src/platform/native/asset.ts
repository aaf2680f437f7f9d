import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { version } from '../../../package.json'
import identity from '../../../packaging/identity.json'
import { OgError } from '../error.ts'
import { sha256OfFile } from '../hash.ts'
import { trimEndCharacters } from '../text/trim.ts'
import type { BundledFile } from './bundled.ts'

/** A compressed file that is published with a release instead of bundled in the executable. */
export type Asset = { name: string; sizeBytes: number; sha256: string }

type Places = { root: string; offline?: boolean | undefined }

/**
 * Returns the path of a file that contains the zstd frames: the executable itself, or the asset
 * next to it or in the cache. If the asset is missing, downloads it from the release into the
 * cache. `root` is the folder of all natives.
 * @throws OgError if the asset is missing and cannot be downloaded
 */
export async function findFrames({ path, asset }: BundledFile, places: Places): Promise<string> {
  if (asset === undefined) return path
  const cached = join(dirname(places.root), 'assets', asset.name)
  for (const candidate of [join(dirname(process.execPath), asset.name), cached]) {
    if (existsSync(candidate) && (await sha256OfFile(candidate)) === asset.sha256) return candidate
  }
  // `download` would keep an existing file.
  await rm(cached, { force: true })
  const releases = trimEndCharacters(process.env.OG_UPDATE_URL || identity.releases, '/')
  const hint = `take it from the release of og ${version} and put it into ${dirname(cached)}`
  if (places.offline || releases === '') {
    const why = releases === '' ? 'this build has no release URL' : 'og is offline'
    throw new OgError(`Cannot run this model: it needs ${asset.name}, and ${why}`, { hint })
  }
  const { download } = await import('../web/download.ts')
  const { sha256, sizeBytes } = asset
  await download(`${releases}/download/v${version}/${asset.name}`, cached, {
    sha256,
    sizeBytes,
    hint,
  })
  return cached
}
