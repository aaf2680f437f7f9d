/**
 * Makes dist/release/: `npm run release [-- --target T]… [--lancedb VERSION] [--level N]`. It
 * contains archives for each target, checksums, their signatures, and a list of the contents. If a
 * part of a target is missing, reports it, builds the other targets and exits with 1. `-- --lock`
 * only adds missing checksums to package-lock.json. OG_SIGNING_KEY contains a minisign secret key,
 * and OG_SIGNING_KEY_P256 a P-256 key in PEM. If a key is missing, its signature is left out.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { version } from '../../package.json'
import identity from '../../packaging/identity.json'
import { messageOf } from '../../src/platform/error.ts'
import { sha256OfFile } from '../../src/platform/hash.ts'
import { lockExclusive } from '../../src/platform/lock.ts'
import type { ReleasedFile, PublishedRelease } from '../../src/platform/published.ts'
import { loadCommands } from '../../src/cli/commands/all.ts'
import { buildClient, compileExecutable } from '../build/build.ts'
import { renderMan } from '../build/man.ts'
import { copyAssets, prepareNatives } from '../build/natives.ts'
import { executableName, targetNamed, targets, type Target } from '../build/target.ts'
import { writeArchive, type Entry } from './archive.ts'
import { identityGaps, signingKeys, type Origin, type SigningKeys } from './identity.ts'
import { bundleEntries, bundleExtension, pluginEntries, serverJson } from './listings.ts'
import { completeLock, lockEntries } from './lock.ts'
import { manifests, writeNpmPackages } from './packages.ts'
import { targetParts } from './parts.ts'
import { sbom } from './sbom.ts'
import { minisign, signP256 } from './sign.ts'
import { systemPackages, writeSystemPackage } from './system-packages.ts'
import { writeWheels } from './wheels.ts'

const root = join(import.meta.dir, '../..')

export type Options = { targets: readonly Target[]; lancedb: string | null; level: number }

type Commit = { hash: string; seconds: number }

/**
 * Returns the finished release; its `missing` maps each target that was not built to the reason.
 */
export async function release(options: Options): Promise<PublishedRelease> {
  const lock = { timeoutMs: 900_000, what: 'the release folder' }
  using _turn = await lockExclusive(join(root, 'build', 'release.lock'), lock)
  for (const gap of identityGaps(identity, signingKeys(process.env))) say(gap)
  const commit = lastCommit()
  const folder = join(root, 'dist', 'release')
  const fresh = `${folder}.new`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { recursive: true })
  const made: PublishedRelease = {
    format: 1,
    name: 'og',
    version,
    commit: commit.hash,
    date: new Date(commit.seconds * 1000).toISOString(),
    targets: {},
    missing: {},
  }
  for (const target of options.targets) {
    const trial = trialOf(target, options.lancedb)
    try {
      const files = await releaseTarget(target, { ...options, trial, folder: fresh, commit })
      made.targets[target.name] = { ...files, trial: trial && `LanceDB ${trial}` }
      if (trial === null) await addSystemPackages(target, made, { folder: fresh, commit })
    } catch (error) {
      made.missing[target.name] = messageOf(error)
      say(`${target.name}: not built: ${messageOf(error)}`)
    }
  }
  await writeLists(made, { folder: fresh, ...options })
  await writePackages(made, fresh)
  await rm(folder, { recursive: true, force: true })
  await rename(fresh, folder)
  return made
}

/**
 * Returns the version to try if the lock file has no checksum of LanceDB's addon for the target.
 */
function trialOf({ lancedb: { name } }: Target, wanted: string | null): string | null {
  return lockEntries(root)[`node_modules/${name}`]?.integrity === undefined ? wanted : null
}

async function releaseTarget(
  target: Target,
  {
    level,
    trial,
    folder,
    commit,
  }: { level: number; trial: string | null; folder: string; commit: Commit },
): Promise<Pick<PublishedRelease['targets'][string], 'archives' | 'executable'>> {
  const parts = await targetParts(target, { lancedb: trial })
  say(`${target.name}: compressing and compiling`)
  const sets = await prepareNatives(target, parts.natives, { level })
  const outfile = builtExecutable(target)
  const { runtime, lancedbPackage } = parts
  await compileExecutable(target, sets, { outfile, runtime, lancedbPackage })
  const name = `og-${version}-${target.name}`
  const entries = await archiveEntries(target, outfile)
  const kinds = target.platform === 'win32' ? ['zip', 'tar.gz'] : archiveKinds
  const isBundled = !target.name.endsWith('-musl')
  // In parallel, because some formats are compressed with a single thread.
  const archives = await Promise.all(
    kinds.map(async (kind) => {
      const file = `${name}.${kind}`
      await writeArchive(join(folder, file), entries, { folder: name, seconds: commit.seconds })
      say(`${target.name}: ${file}`)
      return releasedFile(folder, file)
    }),
  )
  if (isBundled) {
    const file = `${name}.${bundleExtension}`
    const bundled = await bundleEntries(target, entries, {
      folder: join(outfile, '..'),
      about: identity,
    })
    await writeArchive(join(folder, file), bundled, { folder: '', seconds: commit.seconds })
    say(`${target.name}: ${file}`)
    archives.push(await releasedFile(folder, file))
  }
  for (const file of await copyAssets(sets, folder)) archives.push(await releasedFile(folder, file))
  const executable = await releasedFile(join(outfile, '..'), executableName(target))
  return { archives, executable }
}

/** In order: the smallest, the fastest to unpack, and the most portable. */
const archiveKinds = ['tar.xz', 'tar.zst', 'tar.gz']

/**
 * If a package cannot be made on this machine, lists it as missing; the target is released without
 * it.
 */
async function addSystemPackages(
  target: Target,
  made: PublishedRelease,
  { folder, commit }: { folder: string; commit: Commit },
): Promise<void> {
  const entries = await archiveEntries(target, builtExecutable(target))
  for (const [kind, file] of systemPackages(target)) {
    const { arch } = target
    say(`${target.name}: ${file}`)
    try {
      const options = { kind, arch, seconds: commit.seconds }
      await writeSystemPackage(join(folder, file), entries, options)
      made.targets[target.name]!.archives.push(await releasedFile(folder, file))
    } catch (error) {
      made.missing[`${target.name}, ${kind}`] = messageOf(error)
      say(`${target.name}: no ${kind}: ${messageOf(error)}`)
    }
  }
}

const builtExecutable = (target: Target) =>
  join(root, 'build', 'release', target.name, executableName(target))

async function archiveEntries(target: Target, executable: string): Promise<Entry[]> {
  const made = join(root, 'build', 'release', 'completions')
  await mkdir(made, { recursive: true })
  const texts = { 'og.bash': 'bash', _og: 'zsh', 'og.fish': 'fish' }
  for (const [file, shell] of Object.entries(texts)) {
    await writeFile(join(made, file), outputOf('completion', shell))
  }
  await writeFile(join(made, 'og.1'), renderMan(await loadCommands()))
  const plain = (name: string, path: string) => ({ name, path, isExecutable: false })
  return [
    { name: executableName(target), path: executable, isExecutable: true },
    plain('README.md', join(root, 'README.md')),
    plain('LICENSE', join(root, 'LICENSE')),
    plain('THIRD-PARTY.txt', join(root, 'build', 'licenses.txt')),
    ...Object.keys(texts).map((file) => plain(`completions/${file}`, join(made, file))),
    plain('man/og.1', join(made, 'og.1')),
  ]
}

function outputOf(...args: string[]): string {
  return succeeds([process.execPath, join(root, 'src', 'main.ts'), ...args])
}

/** Writes the SBOM, release.json and the installers, then signed checksums of all files. */
async function writeLists(
  made: PublishedRelease,
  { folder, targets: wanted, lancedb }: Options & { folder: string },
): Promise<void> {
  const built = wanted.filter(({ name }) => made.targets[name] !== undefined)
  const trials = Object.fromEntries(
    built.map((it) => [it.name, trialOf(it, lancedb)]).filter(([, trial]) => trial !== null),
  )
  const list = sbom(built, { commit: made.commit, date: made.date, trials })
  const server = serverJson(made, identity)
  const lists = {
    'og.spdx.json': list,
    'release.json': made,
    ...(server && { 'server.json': server }),
  }
  const names = built.flatMap(({ name }) => made.targets[name]!.archives.map(({ file }) => file))
  for (const [name, content] of Object.entries(lists)) {
    await writeFile(join(folder, name), `${JSON.stringify(content, null, 2)}\n`)
    names.push(name)
  }
  names.push(...(await writeInstallers(folder)), await writePlugin(folder))
  const comment = `og ${made.version} ${made.commit}`
  await writeSums(folder, names, { keys: signingKeys(process.env), comment })
}

/**
 * Writes npm packages to `npm/`, wheels for pip to `python/`, and manifests for other package
 * managers to `packages/`.
 */
async function writePackages(made: PublishedRelease, folder: string): Promise<void> {
  await buildClient()
  const built = targets.filter(({ name }) => made.targets[name]?.trial === null)
  const executables = Object.fromEntries(built.map((it) => [it.name, builtExecutable(it)]))
  await writeNpmPackages(join(folder, 'npm'), built, executables)
  await writeWheels(join(folder, 'python'), built, executables)
  await mkdir(join(folder, 'packages'))
  if (identity.releases === '') return
  for (const [name, text] of Object.entries(manifests(made))) {
    await writeFile(join(folder, 'packages', name), text)
  }
}

/** Writes the plugin for coding agents. Returns its file name. */
async function writePlugin(folder: string): Promise<string> {
  const file = `og-plugin-${version}.zip`
  const entries = await pluginEntries(join(root, 'build', 'release', 'plugin'), identity)
  await writeArchive(join(folder, file), entries, { folder: 'og-plugin', seconds: 0 })
  return file
}

/** Writes the installers with the URL and public keys of the releases. */
async function writeInstallers(folder: string): Promise<string[]> {
  const names = ['install.sh', 'install.ps1']
  for (const name of names) {
    await writeFile(join(folder, name), installerText(name, identity))
  }
  return names
}

export function installerText(
  name: string,
  { releases, publicKey, publicKeyP256 }: Origin,
): string {
  const text = readFileSync(join(root, 'packaging', name), 'utf8')
  return text
    .replaceAll('@RELEASES@', releases)
    .replaceAll('@PUBLIC_KEY@', publicKey)
    .replaceAll('@PUBLIC_KEY_P256@', publicKeyP256)
}

/** Writes SHA256SUMS for the named files, and a signature with each key. */
export async function writeSums(
  folder: string,
  names: readonly string[],
  { keys: { ed25519, p256 }, comment }: { keys: SigningKeys; comment: string },
): Promise<void> {
  const lines = []
  for (const name of names.toSorted()) {
    lines.push(`${await sha256OfFile(join(folder, name))}  ${name}\n`)
  }
  const sums = Buffer.from(lines.join(''))
  const path = join(folder, 'SHA256SUMS')
  await writeFile(path, sums)
  if (ed25519 === null) say('no SHA256SUMS.minisig: OG_SIGNING_KEY is not set')
  else await writeFile(`${path}.minisig`, minisign(sums, ed25519, comment))
  if (p256 === null) say('no SHA256SUMS.ecdsa, for macOS: OG_SIGNING_KEY_P256 is not set')
  else await writeFile(`${path}.ecdsa`, signP256(sums, p256))
}

async function releasedFile(folder: string, file: string): Promise<ReleasedFile> {
  const path = join(folder, file)
  return { file, bytes: (await stat(path)).size, sha256: await sha256OfFile(path) }
}

function lastCommit(): Commit {
  const [hash = '', seconds] = succeeds(['git', 'log', '-1', '--format=%H %ct']).trim().split(' ')
  return { hash, seconds: Number(process.env.SOURCE_DATE_EPOCH || seconds) }
}

function succeeds([command = '', ...args]: string[]): string {
  const ran = spawnSync(command, args, { cwd: root, encoding: 'utf8' })
  if (ran.status === 0) return ran.stdout
  throw new Error(`${command} ${args.join(' ')} failed: ${ran.error?.message ?? ran.stderr}`)
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

async function addChecksums(): Promise<void> {
  const { locked, missing } = await completeLock(root, process.env)
  for (const spec of locked) say(`package-lock.json: added the checksum of ${spec}`)
  for (const [spec, why] of Object.entries(missing)) {
    say(`package-lock.json: no checksum of ${spec}: ${why}`)
    process.exitCode = 1
  }
  if (locked.length > 0) say('Commit package-lock.json, then run npm run release')
  else if (process.exitCode !== 1) say('package-lock.json has every checksum')
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      target: { type: 'string', multiple: true },
      lancedb: { type: 'string' },
      level: { type: 'string', default: '19' },
      lock: { type: 'boolean', default: false },
    },
  })
  if (values.lock) return addChecksums()
  const made = await release({
    targets: values.target?.map(targetNamed) ?? targets,
    lancedb: values.lancedb ?? null,
    level: Number(values.level),
  })
  for (const { archives, trial } of Object.values(made.targets)) {
    for (const { file, bytes } of archives) {
      const remark = trial ? `, a trial: ${trial}` : ''
      say(`dist/release/${file}: ${(bytes / 1e6).toFixed(1)} MB${remark}`)
    }
  }
  process.exitCode = Object.keys(made.missing).length > 0 ? 1 : 0
}

if (import.meta.main) await main()
