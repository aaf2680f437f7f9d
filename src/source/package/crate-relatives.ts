import { statSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import type { Source } from '../../store/source.ts'
import { archiveTexts } from '../archive/archive.ts'
import { compatibleVersion, crateManifest, type CrateRelative } from './crate-manifest.ts'
import { namesIn } from './installed.ts'
import type { CrawlOptions } from '../web/crawler.ts'
import { folderAddress, isAbsolutePath } from '../page-address.ts'
import { type SourceTree, folderTree } from '../api/api-events.ts'
import type { LanguageName } from '../../api/language.ts'
import type { Requirement } from '../../api/link/dependency.ts'
import { allowedHost } from '../../platform/reach.ts'
import { npmRelease } from './npm.ts'
import { pypiRelease } from './pypi.ts'
import { openRegistry, type Registry } from './registry.ts'

/**
 * Adds the files of a crate's dependencies whose names begin with its own: `serde` re-exports the
 * traits of `serde_core`. The source lists their archives in the registry. Installed crates are in
 * adjacent folders. Skips a crate that cannot be read and reports the reason.
 */
export async function withRelatives(
  tree: SourceTree,
  source: Source,
  options: CrawlOptions,
): Promise<SourceTree> {
  if (!tree.paths.includes('Cargo.toml')) return tree
  const place = 'path' in source ? source.path : source.url
  const places = isAbsolutePath(place)
    ? await neighbours(place, (await manifestOf(tree))?.relatives ?? [])
    : (source.relatives ?? [])
  const files = new Map<string, { path: string; tree: SourceTree }>()
  const unread: { path: string; reason: string }[] = []
  for (const one of places) {
    const other = await treeAt(one, options).catch((error: unknown) => {
      options.signal?.throwIfAborted()
      if (!(error instanceof OgError)) throw error
      unread.push({ path: one, reason: error.message })
      return null
    })
    const manifest = other && (await manifestOf(other))
    for (const path of manifest ? other!.paths : []) {
      files.set(`${manifest!.name}-${manifest!.version}/${path}`, { path, tree: other! })
    }
  }
  if (files.size === 0) return unread.length === 0 ? tree : { ...tree, unread }
  const placeOf = (path: string) => files.get(path) ?? { path, tree }
  return {
    unread,
    paths: [...tree.paths, ...files.keys()],
    addressOf: (path) => placeOf(path).tree.addressOf(placeOf(path).path),
    prepare: async (paths) => tree.prepare?.(paths.filter((path) => !files.has(path))),
    read: (path) => placeOf(path).tree.read(placeOf(path).path),
  }
}

async function manifestOf(tree: SourceTree): ReturnType<typeof crateManifest> {
  await tree.prepare?.(['Cargo.toml'])
  return crateManifest(new TextDecoder().decode((await tree.read('Cargo.toml')) ?? undefined))
}

/**
 * Returns the folders or archives of other crates next to a crate. In cargo's cache, a name ends
 * with the version (`serde_core-1.0.229`), and there may be several versions. In `vendor/`, a name
 * may lack the version.
 */
async function neighbours(place: string, relatives: CrateRelative[]): Promise<string[]> {
  const folder = dirname(place)
  const ending = /\.(?:crate|tar\.gz|zip)$/.exec(place)?.[0] ?? ''
  const names = await namesIn(folder)
  return relatives.flatMap(({ name, requirement }) => {
    const versions = names
      .filter((it) => it.startsWith(`${name}-`) && it.endsWith(ending))
      .map((it) => it.slice(name.length + 1, it.length - ending.length))
      .filter((it) => /^\d/.test(it))
    const version = compatibleVersion(requirement, versions)
    if (version !== null) return [join(folder, `${name}-${version}${ending}`)]
    return ending === '' && names.includes(name) ? [join(folder, name)] : []
  })
}

async function treeAt(place: string, options: CrawlOptions): Promise<SourceTree> {
  const isWanted = (path: string) => /^Cargo\.toml$|^src\/.*\.rs$/.test(path)
  const isFile = isAbsolutePath(place)
  const address = isFile ? folderAddress(place) : place
  const addressOf = (path: string) => `${address}/${path}`
  if (!isFile || !statSync(place).isDirectory()) {
    return { ...(await archiveTree(place, isWanted, { ...options, isFile })), addressOf }
  }
  const { folderPaths } = await import('../folders.ts')
  const real = await realpath(place)
  return folderTree((await folderPaths(real)).filter(isWanted), { real, addressOf })
}

/** Time limit for all dependencies of one package. */
const mostMs = 60_000

/** Returns a tree that reads dependencies from its package's registry. */
export function withDependencies(
  tree: SourceTree,
  { registry: url }: Source,
  options: CrawlOptions,
): SourceTree {
  if (url === undefined) return tree
  const { reach, signal: outer } = options
  const signal = AbortSignal.any([AbortSignal.timeout(mostMs), ...(outer ? [outer] : [])])
  const isStranger = Boolean(reach) && !reach!.hosts.includes(allowedHost(new URL(url).host))
  const registry = openRegistry({ url, authorization: null, isStranger }, { ...options, signal })
  return {
    ...tree,
    async dependency(requirement, language) {
      try {
        const archive = await archiveOf(requirement, language, registry)
        if (archive === null) return null
        const code = language === 'typescript' ? /\.[cm]?[jt]sx?$/ : /\.pyi?$/
        const isWanted = (path: string) => described.test(path) || code.test(path)
        return await archiveTree(archive, isWanted, { ...options, signal, reach: registry.reach })
      } catch (error) {
        outer?.throwIfAborted()
        if (error instanceof OgError || !signal.aborted) throw error
        throw new OgError(`it could not be read within ${mostMs / 1000} s`, { cause: error })
      }
    },
  }
}

async function archiveOf(
  { name, range, isOptional = false }: Requirement,
  language: LanguageName,
  registry: Registry,
): Promise<string | null> {
  const version = range === '*' || range === '' ? null : range
  const release =
    language === 'typescript'
      ? await npmRelease({ registry: 'npm', name, version }, registry)
      : await pypiRelease({ registry: 'pypi', name, version }, registry)
  const archive = release?.code ?? release?.archive
  if (!archive && isOptional) return null
  if (!archive) throw new OgError(`Cannot find ${name} ${range ?? ''} in the registry`)
  return archive
}

const described = /^(?:package\.json|PKG-INFO|[^/]+\.dist-info\/METADATA)$/

async function archiveTree(
  url: string,
  isWanted: (path: string) => boolean,
  options: CrawlOptions & { isFile?: boolean },
): Promise<SourceTree> {
  const { texts } = await archiveTexts(url, options, isWanted)
  return {
    paths: [...texts.keys()],
    addressOf: (path) => `${url}/${path}`,
    async read(path) {
      const text = texts.get(path)
      return text === undefined ? null : new TextEncoder().encode(text)
    },
  }
}
