import { join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { isRecord, parseJson } from '../../platform/json.ts'
import { defaultRegistryUrl } from './client-default.ts'
import { addFinalSlash } from './npm.ts'
import type { PackageName } from '../../version/package-name.ts'
import {
  type Registry,
  type RegistryLocation,
  type Surroundings,
  chooseRegistryVersion,
  documentationUrls,
  type PackageRelease,
} from './registry.ts'
import { readTextOrEmpty } from './settings-file.ts'

type Json = Record<string, unknown>

export async function packagistRelease(
  packageName: PackageName,
  registry: Registry,
): Promise<PackageRelease | null> {
  const name = packageName.name.toLowerCase()
  const root = await registry.json('packages.json')
  const template = root?.['metadata-url']
  const path = typeof template === 'string' ? template : '/p2/%package%.json'
  const metadata = await registry.json(registry.file(path.replace('%package%', name)))
  const listed = isRecord(metadata?.packages) ? metadata.packages[name] : undefined
  if (!Array.isArray(listed)) return null
  const releases = expanded(listed.filter(isRecord))
  const version = chooseRegistryVersion(
    packageName,
    releases.map((it) => String(it.version)),
  )
  const { source, dist, support, homepage } = releases.find((it) => it.version === version)!
  const urlOf = (value: unknown) =>
    isRecord(value) && typeof value.url === 'string' ? value.url : null
  const archive = isRecord(dist) && dist.type === 'zip' ? urlOf(dist) : null
  return {
    version,
    repository: urlOf(source),
    directory: null,
    tags: [version],
    pages: documentationUrls([
      ['docs', isRecord(support) ? support.docs : null],
      ['homepage', homepage],
    ]),
    archive: archive === null ? null : registry.file(archive),
  }
}

/** Each entry contains only what differs from the one before it; `__unset` removes a field. */
function expanded(entries: readonly Json[]): Json[] {
  let last: Json = {}
  return entries.map((entry) => {
    const fields = Object.entries({ ...last, ...entry }).filter(([, it]) => it !== '__unset')
    last = Object.fromEntries(fields)
    return last
  })
}

/** The first Composer repository in the user's config.json, else the one that composer prints. */
export async function packagistRegistry({ env, home }: Surroundings): Promise<RegistryLocation> {
  const folders = env.COMPOSER_HOME
    ? [env.COMPOSER_HOME]
    : [join(env.XDG_CONFIG_HOME || join(home, '.config'), 'composer'), join(home, '.composer')]
  for (const folder of folders) {
    const url = repositoryIn(await readConfig(join(folder, 'config.json')))
    if (url !== null) return { url: addFinalSlash(url), authorization: null, isStranger: false }
  }
  const url = addFinalSlash(await defaultRegistryUrl('packagist', { env, home }))
  return { url, authorization: null, isStranger: false }
}

async function readConfig(path: string): Promise<unknown> {
  const text = await readTextOrEmpty(path)
  try {
    return text.trim() === '' ? {} : parseJson(text)
  } catch (cause) {
    throw new OgError(`Cannot read ${JSON.stringify(path)}: it is not valid JSON`, { cause })
  }
}

function repositoryIn(config: unknown): string | null {
  const listed = isRecord(config) ? (config.repositories ?? {}) : {}
  for (const it of Object.values(listed as Json)) {
    const isUsed = isRecord(it) && it.type === 'composer' && typeof it.url === 'string'
    if (isUsed && /^https?:/i.test(String(it.url))) return String(it.url)
  }
  return null
}
