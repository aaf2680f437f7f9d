import { dirname, join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { isObject } from '../../store/shape.ts'
import { clientDefault } from './client-default.ts'
import { withSlash } from './npm-place.ts'
import { textOf } from './settings-file.ts'
import type { RegistryPlace, Surroundings } from './registry.ts'

type Json = Record<string, unknown>

/**
 * The sparse index of crates, as cargo finds it: the public one, or what
 * `source.crates-io.replace-with` names, in the `.cargo/config.toml` of the project and the folders
 * above it, then in that of `CARGO_HOME`.
 * @throws OgError where cargo uses an index that is no sparse one
 */
export async function cratesPlace({ env, home, cwd }: Surroundings): Promise<RegistryPlace> {
  const own = env.CARGO_HOME || join(home, '.cargo')
  const folders = foldersAbove(cwd).map((folder) => join(folder, '.cargo'))
  const users = [own, join(home, '.cargo')]
  const files = [...folders.filter((folder) => !users.includes(folder)), own]
  const settings = await Promise.all(files.map(readConfig))
  const at = (...path: string[]) => {
    const index = settings.findIndex((config) => valueAt(config, path) !== undefined)
    return { value: valueAt(settings[index], path), isStranger: index < settings.length - 1 }
  }
  let place: { value: unknown; isStranger: boolean } | null = null
  for (let name = 'crates-io', hops = 0; hops < 5; hops++) {
    const next = at('source', name, 'replace-with')
    if (typeof next.value !== 'string') break
    name = next.value
    const variable = `CARGO_REGISTRIES_${name.toUpperCase().replaceAll('-', '_')}_INDEX`
    const named = [at('source', name, 'registry'), at('registries', name, 'index')]
      .find(({ value }) => value !== undefined)
    const theirs = next.isStranger || (named?.isStranger ?? false)
    place = { value: env[variable] ?? named?.value, isStranger: theirs }
  }
  place ??= { value: await clientDefault('crates', { env, home }), isStranger: false }
  const url = /^sparse\+(https?:.*)$/i.exec(String(place.value))?.[1]
  if (url !== undefined && URL.canParse(url)) {
    return { url: withSlash(url), authorization: null, isStranger: place.isStranger }
  }
  throw new OgError('Cannot read the index that the settings of cargo name: it is no sparse one', {
    hint: 'og reads "sparse+https://…"; name the repository of the crate with --source',
  })
}

const maxFolders = 40

function foldersAbove(cwd: string): string[] {
  const folders = [cwd]
  while (folders.length < maxFolders && dirname(folders.at(-1)!) !== folders.at(-1)) {
    folders.push(dirname(folders.at(-1)!))
  }
  return folders
}

/** The settings of cargo in a folder. `config` is the older name, and cargo reads it first. */
async function readConfig(folder: string): Promise<Json> {
  const text = (await textOf(join(folder, 'config'))) || (await textOf(join(folder, 'config.toml')))
  if (text.trim() === '') return {}
  const { parse } = await import('smol-toml')
  try {
    return parse(text) as Json
  } catch (cause) {
    const what = `the settings of cargo in "${folder}"`
    throw new OgError(`Cannot read ${what}: they are no TOML`, { cause })
  }
}

function valueAt(config: unknown, path: string[]): unknown {
  return path.reduce((value, name) => isObject(value) ? value[name] : undefined, config)
}
