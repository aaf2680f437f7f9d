import { existsSync, statSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { OgError } from '../../platform/error.ts'
import { archiveTexts } from '../archive/archive.ts'
import { isAbsolutePath } from '../git/repository-url.ts'
import type { CrawlOptions } from '../web/crawler.ts'
import { folderAddress } from '../page-address.ts'
import type { SourceTree } from './api-events.ts'
import { folderTree } from './folder-tree.ts'

/** A crate on which another crate depends. */
type Relative = { name: string; version: string }

/** Maximum number of other crates whose archives are read for one crate. */
const mostRelatives = 6

/**
 * The files of a crate, and of its dependencies whose names begin with its own: `serde` re-exports
 * the traits of `serde_core`. The URLs of their archives differ only in the name and version, and
 * installed crates have neighbouring folders. A crate that cannot be read is omitted.
 */
export async function withRelatives(
  tree: SourceTree,
  { url, ...options }: CrawlOptions & { url: string },
): Promise<SourceTree> {
  if (!tree.paths.includes('Cargo.toml')) return tree
  await tree.prepare?.(['Cargo.toml'])
  const manifest = new TextDecoder().decode((await tree.read('Cargo.toml')) ?? new Uint8Array())
  const { name, version, relatives } = await crateRelatives(manifest)
  const texts = new Map<string, { text: string; address: string }>()
  for (const relative of relatives.slice(0, mostRelatives)) {
    const address = relativeAddress(url, { name, version }, relative)
    if (address === null) continue
    const folder = `${relative.name}-${relative.version}`
    const place = isFolder(address) ? folderAddress(address) : address
    for (const [path, text] of await textsOf(address, options)) {
      texts.set(`${folder}/${path}`, { text, address: `${place}/${path}` })
    }
  }
  if (texts.size === 0) return tree
  return {
    paths: [...tree.paths, ...texts.keys()],
    addressOf: (path) => texts.get(path)?.address ?? tree.addressOf(path),
    prepare: async (paths) => tree.prepare?.(paths.filter((path) => !texts.has(path))),
    async read(path) {
      const own = texts.get(path)
      return own === undefined ? tree.read(path) : new TextEncoder().encode(own.text)
    },
  }
}

async function textsOf(address: string, options: CrawlOptions): Promise<Map<string, string>> {
  const isWanted = (path: string) => /^Cargo\.toml$|^src\/.*\.rs$/.test(path)
  if (isFolder(address)) return folderTexts(address, isWanted)
  const isFile = isAbsolutePath(address)
  if (isFile && !existsSync(address)) return new Map()
  try {
    return (await archiveTexts(address, { ...options, isFile }, isWanted)).texts
  } catch (error) {
    options.signal?.throwIfAborted()
    if (!(error instanceof OgError)) throw error
    return new Map()
  }
}

function isFolder(path: string): boolean {
  const stats = isAbsolutePath(path) ? statSync(path, { throwIfNoEntry: false }) : undefined
  return stats?.isDirectory() ?? false
}

async function folderTexts(
  folder: string,
  isWanted: (path: string) => boolean,
): Promise<Map<string, string>> {
  const { folderPaths } = await import('../local.ts')
  const real = await realpath(folder)
  const paths = (await folderPaths(real)).filter(isWanted)
  const tree = folderTree(paths, { real, addressOf: (path) => path })
  const texts = new Map<string, string>()
  for (const path of paths) {
    const bytes = await tree.read(path)
    if (bytes !== null) texts.set(path, new TextDecoder().decode(bytes))
  }
  return texts
}

/** The dependencies in a Cargo.toml whose names begin with the name of the crate. */
export async function crateRelatives(
  manifest: string,
): Promise<Relative & { relatives: Relative[] }> {
  const { parse } = await import('smol-toml')
  const { isRecord } = await import('../../platform/json.ts')
  const content: unknown = parseOrNull(manifest, parse)
  const own = isRecord(content) && isRecord(content.package) ? content.package : {}
  const { name = '', version = '' } = own as { name?: string; version?: string }
  const listed = isRecord(content) && isRecord(content.dependencies) ? content.dependencies : {}
  const relatives = Object.entries(listed).flatMap(([key, value]) => {
    const settings = isRecord(value) ? value : { version: value }
    const dependency = typeof settings.package === 'string' ? settings.package : key
    const wanted = typeof settings.version === 'string' ? settings.version : ''
    const exact = /^[=~^]?\s*(\d+\.\d+\.\d+[\w.+-]*)$/.exec(wanted)?.[1]
    const isRelative = dependency.startsWith(name) && /^[-_]\w/.test(dependency.slice(name.length))
    return exact === undefined || !isRelative || !/^[\w-]+$/.test(dependency)
      ? []
      : [{ name: dependency, version: exact }]
  })
  return { name: String(name), version: String(version), relatives }
}

function parseOrNull(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text)
  } catch {
    return null
  }
}

/**
 * The URL with the name and version replaced, or the neighbouring folder (`serde-1.0.229`, or
 * `serde` in `vendor/`); null if the URL does not contain the crate's own.
 */
export function relativeAddress(url: string, own: Relative, other: Relative): string | null {
  const last = url.replace(/^.*[/\\]/s, '')
  const beside = (name: string) => url.slice(0, url.length - last.length) + name
  if (last === `${own.name}-${own.version}`) return beside(`${other.name}-${other.version}`)
  if (last === own.name) return beside(other.name)
  const file = url.replace(`${own.name}-${own.version}.`, `${other.name}-${other.version}.`)
  const folder = file.replace(`/${own.name}/${own.version}/`, `/${other.name}/${other.version}/`)
  const whole = file === url ? folder : file.replace(`/${own.name}/`, `/${other.name}/`)
  return whole === url ? null : whole
}
