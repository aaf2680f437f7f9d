import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { chmod, copyFile, link, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { valid } from 'semver'
import { extract } from 'tar-stream'
import { messageOf, OgError } from '../../platform/error.ts'
import { syncFolder } from '../../platform/file/files.ts'
import { deleteLeftovers } from '../../platform/file/space.ts'
import { sha256OfFile } from '../../platform/hash.ts'
import type { ReleasedFile } from '../../platform/published.ts'
import { runProgram } from '../../platform/subprocess.ts'
import { download } from '../../platform/web/download.ts'
import type { Installation } from './releases.ts'

export type Replacement = {
  version: string
  url: string
  archive: ReleasedFile
  executable: ReleasedFile
  onProgress: (doneBytes: number, totalBytes: number) => void
  signal: AbortSignal
}

/**
 * Replaces an installed og with a different version: downloads it, checks both hashes, runs the new
 * executable in a temporary home folder, and then renames it. Keeps the old executable.
 * @throws OgError if a file differs from the release, or if the new executable does not work on
 * this machine
 */
export async function replaceInstallation(
  installed: Installation,
  replacement: Replacement,
): Promise<void> {
  const { path, previous } = installed
  await deleteLeftovers(dirname(path), prefix)
  const work = await mkdtemp(join(dirname(path), prefix)).catch((cause) => {
    throw new OgError(`Cannot write to ${dirname(path)}: ${messageOf(cause)}`, {
      hint: 'run the command as the owner of that folder',
      cause,
    })
  })
  try {
    const fresh = await fetchExecutable(work, replacement)
    await tryExecutable(fresh, { home: join(work, 'home'), ...replacement })
    await keep(path, previous)
    await rename(fresh, path)
    await syncFolder(dirname(path))
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const prefix = '.og-upgrade-'

/**
 * Swaps the executable with the previous one and returns the previous version. A second call undoes
 * the first.
 * @throws OgError if the previous executable is missing or does not run; nothing has changed then
 */
export async function swapWithPrevious(
  { path, previous }: Installation,
  signal: AbortSignal,
): Promise<string> {
  if (!statSync(previous, { throwIfNoEntry: false })?.isFile()) {
    throw new OgError(`Cannot roll back: there is no file ${previous}`, {
      hint: 'only og upgrade keeps the previous version',
    })
  }
  const version = await readVersion(previous, signal)
  const folder = dirname(path)
  if (process.platform === 'win32') {
    // A running executable cannot be replaced, so one of the names is missing for a moment.
    const aside = `${previous}.${process.pid}`
    await rename(path, aside)
    await rename(previous, path)
    await rename(aside, previous)
    return version
  }
  await deleteLeftovers(folder, prefix)
  const work = await mkdtemp(join(folder, prefix))
  try {
    // Both names always exist, so that a killed swap leaves a current and a previous og.
    const [current, restored] = [join(work, 'current'), join(work, 'restored')]
    await keep(path, current)
    await keep(previous, restored)
    await rename(restored, path)
    await rename(current, previous)
    await syncFolder(folder)
    return version
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/**
 * Runs `og version` with an executable and returns the output.
 * @throws OgError if it cannot be run
 */
export async function readVersion(path: string, signal: AbortSignal): Promise<string> {
  const options = { cwd: dirname(path), env: plainEnv(), signal, timeoutMs: 60_000 }
  const ran = await runProgram([path, 'version'], options)
  const version = Buffer.from(ran.stdout).toString().trim()
  if (ran.exitCode === 0 && valid(version) !== null) return version
  const said = firstLine(ran.stderr) || firstLine(version) || `code ${ran.exitCode}`
  throw new OgError(`Cannot run ${path}: ${ran.timedOut ? 'it took over a minute' : said}`, {
    hint: 'nothing was changed',
  })
}

/** Links or copies `path` to `previous`, so that `path` exists at all times. */
async function keep(path: string, previous: string): Promise<void> {
  // Windows can rename a running executable, but not replace it.
  if (process.platform === 'win32') return rename(path, previous)
  const fresh = `${previous}.new`
  await rm(fresh, { force: true })
  await link(path, fresh).catch(() => copyFile(path, fresh))
  await rename(fresh, previous)
}

async function fetchExecutable(work: string, replacement: Replacement): Promise<string> {
  const { url, archive, executable, onProgress, signal } = replacement
  const packed = join(work, `archive${extname(archive.file)}`)
  const hint = 'the file there is not the one that was signed; nothing was changed'
  const { sha256, bytes: sizeBytes } = archive
  await download(url, packed, { sha256, sizeBytes, onProgress, signal, hint })
  const fresh = join(work, executable.file)
  await unpackOne(packed, executable, fresh).catch((cause) => {
    throw new OgError(`Cannot unpack ${archive.file}: ${messageOf(cause)}`, { cause })
  })
  await rm(packed)
  const actual = await sha256OfFile(fresh)
  if (actual === executable.sha256) return fresh
  throw new OgError(`Cannot use ${archive.file}: its executable differs from the released one`)
}

async function unpackOne(packed: string, { file, bytes }: ReleasedFile, to: string): Promise<void> {
  const entries = extract()
  const unzipped = packed.endsWith('.zst') ? createZstdDecompress() : createGunzip()
  const fed = pipeline(createReadStream(packed), unzipped, entries)
  let isFound = false
  const read = async () => {
    for await (const entry of entries) {
      const { header } = entry
      const isIt = header.type === 'file' && header.name.split('/').slice(1).join('/') === file
      if (isIt && header.size === bytes) {
        isFound = true
        const pieces = entry as AsyncIterable<Uint8Array>
        await pipeline(pieces, createWriteStream(to, { mode: 0o700, flush: true }))
      } else entry.resume()
    }
  }
  await Promise.all([fed, read()])
  if (!isFound) throw new Error(`it contains no ${file} of ${bytes} bytes`)
  await chmod(to, 0o755)
}

const question = 'How do I remove limescale?'
const page = '# Kettle\n\n## Descaling\n\nVinegar removes limescale from the kettle.\n'

async function tryExecutable(
  path: string,
  { home, version, signal }: { home: string; version: string; signal: AbortSignal },
): Promise<void> {
  await mkdir(join(home, 'golden'), { recursive: true })
  await writeFile(join(home, 'golden', 'kettle.md'), page)
  const env = { ...plainEnv(), HOME: home, USERPROFILE: home, LOCALAPPDATA: home }
  const tried = async (...args: string[]) => {
    const ran = await runProgram([path, ...args], { cwd: home, env, signal, timeoutMs: 300_000 })
    const stdout = Buffer.from(ran.stdout).toString()
    if (ran.exitCode === 0) return stdout
    const said = firstLine(ran.stderr) || firstLine(stdout.match(/^FAIL.*$/m)?.[0] ?? '')
    const why = ran.timedOut ? 'it took over 5 minutes' : said || `code ${ran.exitCode}`
    throw new OgError(`Cannot use og ${version} here: og ${args[0]} failed: ${why}`, {
      hint: 'nothing was changed',
    })
  }
  const actual = (await tried('version')).trim()
  if (actual !== version) throw new OgError(`Cannot use the new og: it reports version ${actual}`)
  await tried('doctor', '--offline')
  await tried('add', 'golden', '--source', 'golden', '--version', '1')
  const answer = await tried('query', question, '--json')
  if (/kettle\.md/.test(answer) && /Vinegar/.test(answer)) return
  throw new OgError(
    `Cannot use og ${version} here: it did not find a page that it had just indexed`,
  )
}

function plainEnv(): Record<string, string> {
  const names = ['PATH', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR']
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

const firstLine = (text: string) => text.trim().split('\n')[0] ?? ''
