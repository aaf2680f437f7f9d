import { readdir, realpath } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { isRecord, parseJsonOrUndefined } from '../../platform/json.ts'
import type { Reach } from '../../platform/reach.ts'
import { matchRef } from '../../version/ref-match.ts'
import { newestFirst, parseRelease } from '../../version/release.ts'
import { crateManifest } from './crate-manifest.ts'
import { escapeCapitals } from './go.ts'
import {
  type PackageName,
  type RegistryKind,
  plainPackageName,
} from '../../version/package-name.ts'
import type { Surroundings } from './registry.ts'
import { readTextOrEmpty } from './settings-file.ts'

export type InstalledPackage = {
  version: string
  folder: string
  archive?: string
  metadata?: string
}

type Finding = { name: string; around: Surroundings }

/**
 * Returns the requested version of a package, or the newest installed one. Searches `node_modules`
 * and `vendor` of the project and the folders above it, the Python environment, and the caches of
 * cargo and go. Returns null if it is not installed. Reads only names and versions, and executes
 * nothing.
 */
export async function findInstalled(
  { registry, name, version }: PackageName,
  { surroundings, reach = null }: { surroundings: Surroundings; reach?: Reach | null },
): Promise<InstalledPackage | null> {
  const all = await finders[registry]({ name, around: surroundings })
  const byAge = all.toSorted((a, b) =>
    newestFirst(parseRelease(a.version), parseRelease(b.version)),
  )
  const refs = byAge.map((it) => ({ name: it.version, kind: 'tag' as const, commit: '' }))
  const bestVersion = version === null ? byAge[0]?.version : matchRef(refs, version, '')?.name
  const best = byAge.find((it) => it.version === bestVersion)
  if (best === undefined) return null
  const folder = await realpath(best.folder)
  return (await isAllowed(folder, reach)) ? { ...best, folder } : null
}

/** Returns the installed version in a folder whose name does not contain it, or null. */
export async function installedVersion(key: string, folder: string): Promise<string | null> {
  const kind = key.slice(0, key.indexOf(':'))
  return (await versionFinders[kind]?.(folder)) ?? null
}

const versionFinders: Record<string, (folder: string) => Promise<string | null>> = {
  npm: npmVersion,
  crates: crateVersion,
  packagist: composerVersion,
  hex: hexVersion,
}

/** True if an agent may read the package, which must be inside the allowed folder. */
async function isAllowed(folder: string, reach: Reach | null): Promise<boolean> {
  if (reach === null) return true
  if (reach.folder === null) return false
  const below = relative(await realpath(reach.folder), folder)
  return below !== '' && below !== '..' && !below.startsWith(`..${sep}`)
}

const finders: Record<RegistryKind, (finding: Finding) => Promise<InstalledPackage[]>> = {
  npm: async ({ name, around }) => {
    const folders = foldersAbove(around.cwd).map((folder) => join(folder, 'node_modules', name))
    return firstVersion(folders, npmVersion)
  },
  pypi: distributions,
  crates: async ({ name, around: { env, home, cwd } }) => {
    const sources = join(env.CARGO_HOME || join(home, '.cargo'), 'registry', 'src')
    const indexes = (await namesIn(sources)).map((index) => join(sources, index))
    const vendored = foldersAbove(cwd).map((folder) => join(folder, 'vendor', name))
    return [
      ...(await firstVersion(vendored, crateVersion)),
      ...(await Promise.all(indexes.map((folder) => versionsIn(folder, `${name}-`)))).flat(),
    ]
  },
  go: ({ name, around: { env, home } }) => {
    const workspace = (env.GOPATH || join(home, 'go')).split(
      process.platform === 'win32' ? ';' : ':',
    )
    const cache = env.GOMODCACHE || join(workspace[0]!, 'pkg', 'mod')
    const path = escapeCapitals(name)
    return versionsIn(join(cache, dirname(path)), `${path.slice(path.lastIndexOf('/') + 1)}@`)
  },
  maven: async ({ name, around: { home } }) => {
    const [group = '', artifact = ''] = name.split(':')
    const folder = join(home, '.m2', 'repository', ...group.split('.'), artifact)
    const versions = await versionsIn(folder, '')
    return versions.map((it) => ({ ...it, archive: `${artifact}-${it.version}-sources.jar` }))
  },
  rubygems: async ({ name, around: { env, home, cwd } }) => {
    const bundles = foldersAbove(cwd).map((folder) => join(folder, 'vendor', 'bundle', 'ruby'))
    const users = [join(home, '.gem', 'ruby'), join(home, '.local', 'share', 'gem', 'ruby')]
    const below = await Promise.all(
      [...bundles, ...users].map(async (at) => (await namesIn(at)).map((it) => join(at, it))),
    )
    const all = [...below.flat(), ...(env.GEM_HOME ? [env.GEM_HOME] : [])]
    return (await Promise.all(all.map((at) => versionsIn(join(at, 'gems'), `${name}-`)))).flat()
  },
  packagist: ({ name, around }) =>
    firstVersion(
      foldersAbove(around.cwd).map((folder) => join(folder, 'vendor', ...name.split('/'))),
      composerVersion,
    ),
  hex: ({ name, around }) =>
    firstVersion(
      foldersAbove(around.cwd).map((folder) => join(folder, 'deps', name)),
      hexVersion,
    ),
  nuget: ({ name, around: { env, home } }) => {
    const packages = env.NUGET_PACKAGES || join(home, '.nuget', 'packages')
    return versionsIn(join(packages, name.toLowerCase()), '')
  },
}

async function firstVersion(
  folders: string[],
  versionOf: (folder: string) => Promise<string | null>,
): Promise<InstalledPackage[]> {
  for (const folder of folders) {
    const version = await versionOf(folder)
    if (version !== null) return [{ version, folder }]
  }
  return []
}

async function versionsIn(folder: string, start: string): Promise<InstalledPackage[]> {
  return (await namesIn(folder))
    .filter((name) => name.startsWith(start) && /^v?\d/.test(name.slice(start.length)))
    .map((name) => ({ version: name.slice(start.length), folder: join(folder, name) }))
}

async function npmVersion(folder: string): Promise<string | null> {
  const text = await readTextOrEmpty(join(folder, 'package.json'))
  const manifest = parseJsonOrUndefined(text)
  return isRecord(manifest) && typeof manifest.version === 'string' ? manifest.version : null
}

async function crateVersion(folder: string): Promise<string | null> {
  const text = await readTextOrEmpty(join(folder, 'Cargo.toml'))
  return (await crateManifest(text))?.version || null
}

/** Composer lists the versions of all packages in a file two folders above each of them. */
async function composerVersion(folder: string): Promise<string | null> {
  const vendor = dirname(dirname(folder))
  const text = await readTextOrEmpty(join(vendor, 'composer', 'installed.json'))
  const listed = parseJsonOrUndefined(text)
  const packages = isRecord(listed) && Array.isArray(listed.packages) ? listed.packages : []
  const own = folder.slice(vendor.length + 1).replaceAll('\\', '/')
  const entry = packages.filter(isRecord).find(({ name }) => name === own)
  return typeof entry?.version === 'string' ? entry.version : null
}

async function hexVersion(folder: string): Promise<string | null> {
  const text = await readTextOrEmpty(join(folder, 'hex_metadata.config'))
  return /\{<<"version">>,\s*<<"([\w.+-]+)">>\}/.exec(text)?.[1] ?? null
}

/** Returns a distribution's versions in the project's Python environments, the user's last. */
async function distributions({ name, around }: Finding): Promise<InstalledPackage[]> {
  const plain = plainPackageName(name)
  for (const environment of pythonEnvironments(around)) {
    for (const folder of await packageFolders(environment)) {
      const versions = (await namesIn(folder)).flatMap((entry) => {
        const [, own = '', version = ''] = /^(.+?)-([^-]+)\.dist-info$/.exec(entry) ?? []
        return plainPackageName(own) === plain
          ? [{ version, folder, metadata: `${entry}/METADATA` }]
          : []
      })
      if (versions.length > 0) return versions
    }
  }
  return []
}

function pythonEnvironments({ env, home, cwd }: Surroundings): string[] {
  const python = Bun.which('python3', { PATH: env.PATH ?? '' })
  const inProject = foldersAbove(cwd).flatMap((folder) =>
    ['.venv', 'venv', 'env'].map((name) => join(folder, name)),
  )
  const active = [env.VIRTUAL_ENV, env.CONDA_PREFIX].filter((path) => path)
  const shared = python === null ? [] : [dirname(dirname(python))]
  return [...(active as string[]), ...inProject, ...shared, join(home, '.local')]
}

/** Returns folders such as `lib/python3.12/site-packages`, or `Lib/site-packages` on Windows. */
async function packageFolders(environment: string): Promise<string[]> {
  const versions = (await namesIn(join(environment, 'lib'))).filter((it) => /^python3/.test(it))
  return [
    ...versions.map((version) => join(environment, 'lib', version, 'site-packages')),
    ...versions.map((version) => join(environment, 'lib', version, 'dist-packages')),
    join(environment, 'Lib', 'site-packages'),
  ]
}

const mostFolders = 40

/** Returns the folder and those above it, nearest first. */
export function foldersAbove(cwd: string): string[] {
  const folders = [cwd]
  while (folders.length < mostFolders && dirname(folders.at(-1)!) !== folders.at(-1)) {
    folders.push(dirname(folders.at(-1)!))
  }
  return folders
}

export async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (/^(?:ENOENT|ENOTDIR|EACCES|EPERM)$/.test(error.code ?? '')) return []
    throw error
  })
}
