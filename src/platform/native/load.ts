import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { access, constants, mkdir } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { OgError } from '../error.ts'
import { whyUnsafe } from '../file/safe-folder.ts'
import { throwTempFolderError } from '../file/space.ts'
import { trace } from '../trace.ts'
import {
  bundledNatives,
  bundledOnnx,
  sourceRoot,
  type BundledFiles,
  buildTarget,
} from './bundled.ts'
import { openNatives, isUnpacked, leaseName, unpack } from './unpack.ts'
import { tryLockShared, type Lock } from '../lock.ts'
import { openForeignFunctions } from './ffi.ts'
import type { CheckResult } from '../check.ts'
import { glibcVersion } from '../system.ts'

/**
 * Paths of the native files, or null for a file that the build lacks. In an executable, the paths
 * use the open descriptor of the folder, so the loaded files are the ones that were checked.
 */
export type Natives = {
  folder: string | null
  lancedb: string
  /**
   * Returns the path of ONNX Runtime's addon, for models that og's own encoder cannot run. The
   * first call unpacks the addon and, unless `offline` is set, downloads its library.
   * @throws OgError if this build does not have it, or the library cannot be obtained
   */
  onnxruntime(options?: { offline?: boolean }): Promise<string>
  kernels: string | null
  model: string | null
  /** Weights of the default model for og's encoder. */
  encoder: string | null
  tokenizer: string | null
}

/**
 * Finds the native files. An executable unpacks them into `cachePath`. If og runs from source, they
 * are in node_modules and build/. If `cachePath` is not writable, uses a private folder in the
 * system's temporary folder and calls `warn`.
 */
export async function loadNatives(
  cachePath: string,
  warn: (line: string) => void,
): Promise<Natives> {
  const natives =
    bundledNatives === null
      ? nativesOfSource()
      : await nativesOfExecutable(bundledNatives, await nativesRoot(cachePath, warn), warn)
  // LanceDB's loader tries this path first.
  process.env.NAPI_RS_NATIVE_LIBRARY_PATH = natives.lancedb
  trace('load natives', { folder: natives.folder ?? sourceRoot })
  return natives
}

export async function areNativesUnpacked(cachePath: string): Promise<boolean> {
  return bundledNatives === null || isUnpacked(bundledNatives, join(cachePath, 'natives'))
}

/**
 * Creates a private folder in the system's temporary folder.
 * @throws OgError if other users may write there
 */
export async function privateTempFolder(): Promise<string> {
  const uid = process.getuid?.() ?? userInfo().username
  const folder = join(tmpdir(), `og-${uid}`)
  await mkdir(folder, { mode: 0o700 }).catch((error) => {
    if (error.code !== 'EEXIST') throwTempFolderError(error)
  })
  const why = whyUnsafe(folder)
  if (why === null) return folder
  throw new OgError(`Cannot use ${folder}: ${why}`, {
    hint: 'set OG_CACHE_DIR to a folder of your own, or TMPDIR to one that is yours or sticky',
  })
}

async function isWritable(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Chooses the folder to unpack into: the cache if it is safe, otherwise the system's temporary
 * folder. Other users must not be able to change the cache, because its code would run as this
 * user.
 */
export async function nativesRoot(
  cachePath: string,
  warn: (line: string) => void,
): Promise<string> {
  const folder = join(cachePath, 'natives')
  const why = whyUnsafeRoot(folder)
  // A cache with unpacked files may be read-only, for example in a container image.
  if (why === null && bundledNatives !== null && (await isUnpacked(bundledNatives, folder)))
    return folder
  refuseOtherLibc()
  if (why === null && (await isWritable(folder)) && whyUnsafeRoot(folder) === null) return folder
  const root = join(await privateTempFolder(), 'natives')
  if (why === null) {
    warn(`cannot write ${folder}; using ${root} (set OG_CACHE_DIR to a folder that lasts)`)
  } else {
    const remedy = 'let nobody else write there, or set OG_CACHE_DIR to a folder of your own'
    warn(`cannot use ${folder}: ${why}; using ${root} (${remedy})`)
  }
  return root
}

function whyUnsafeRoot(root: string): string | null {
  return whyUnsafe(root) ?? (bundledNatives && whyUnsafe(join(root, bundledNatives.hash)))
}

async function nativesOfExecutable(
  embedded: BundledFiles,
  root: string,
  warn: (line: string) => void,
): Promise<Natives> {
  const { folder, through } = await openSet(embedded, root, { warn })
  const onnxruntime: Natives['onnxruntime'] = async (options) => {
    if (bundledOnnx === null) throw withoutOnnx()
    const natives = await openSet(bundledOnnx, root, { warn, ...options })
    return join(natives.through, 'onnxruntime_binding.node')
  }
  return { ...nativesOf(embedded, folder, through), onnxruntime }
}

function withoutOnnx(): OgError {
  return new OgError('Cannot run this model: it needs ONNX Runtime, which has no build for musl', {
    hint: 'use the default model, or the build of og for glibc',
  })
}

async function openSet(
  embedded: BundledFiles,
  root: string,
  { warn, offline = false }: { warn: (line: string) => void; offline?: boolean },
): Promise<{ folder: string; through: string }> {
  const stampFolder = join(dirname(root), 'verified')
  let isHashed = false
  const onUnpacked = () => {
    isHashed = true
    releaseBundlePages()
  }
  const folder = await leaseUnpacked(() => unpack(embedded, root, { offline, onUnpacked }))
  const natives = await openNatives(embedded, folder, { stampFolder, isHashed })
  if (natives.foreign.length === 0) return { folder, through: natives.through }
  warn(
    'unpacked again, because the bundled content differs: ' +
      `${natives.foreign.join(', ')} in ${folder}`,
  )
  await unpack(embedded, root, { verify: true, offline, onUnpacked })
  const { through, foreign } = await openNatives(embedded, folder, { stampFolder, isHashed })
  if (foreign.length === 0) return { folder, through }
  throw new OgError(
    `Cannot use ${folder}: other users own ${foreign.join(', ')} or can write to it`,
    { hint: `delete ${folder}; the next start makes it again` },
  )
}

/** Held until this process ends, because `og gc` deletes folders without a lease. */
const leases: Lock[] = []

/** Unpacks a folder and leases it. Retries if the folder was deleted in between. */
async function leaseUnpacked(unpacked: () => Promise<string>): Promise<string> {
  for (;;) {
    const folder = await unpacked()
    const lease = tryLockShared(join(folder, leaseName))
    if (lease !== null) leases.push(lease)
    if (lease !== null || existsSync(folder)) return folder
  }
}

function nativesOf(
  { files }: BundledFiles,
  folder: string,
  through: string,
): Omit<Natives, 'onnxruntime'> {
  const optional = (name: string) =>
    files.some((file) => file.name === name) ? join(through, name) : null
  return {
    folder,
    lancedb: join(through, 'lancedb.node'),
    kernels: optional('kernels.so'),
    model: optional('model_quantized.onnx'),
    encoder: optional('encoder.weights'),
    tokenizer: optional('tokenizer.json'),
  }
}

function nativesOfSource(): Natives {
  const find = (name: string) => Bun.resolveSync(name, sourceRoot)
  const libc = process.platform === 'linux' ? '-gnu' : process.platform === 'win32' ? '-msvc' : ''
  const target = `${process.platform}-${process.arch}${libc}`
  const ortRoot = dirname(dirname(find('onnxruntime-node')))
  const build = join(sourceRoot, 'build')
  const optional = (...parts: string[]) => {
    const path = join(build, ...parts)
    return existsSync(path) ? path : null
  }
  return {
    folder: null,
    lancedb: find(`@lancedb/lancedb-${target}`),
    onnxruntime: async () =>
      join(ortRoot, `bin/napi-v6/${process.platform}/${process.arch}/onnxruntime_binding.node`),
    kernels: optional('kernels', 'libog_kernels.so'),
    model: optional('model', 'model_quantized.onnx'),
    encoder: optional('model', 'encoder.weights'),
    tokenizer: optional('model', 'tokenizer.json'),
  }
}

/**
 * MADV_PAGEOUT, available since Linux 5.4. No data is lost because changed pages stay in memory and
 * the others are on disk.
 */
const pageOut = 21
/** Minimum size of the bundled files' mapping. The executable also has smaller mappings. */
const smallestPayload = 16 * 2 ** 20

/**
 * Releases the memory pages of the bundled files after they are unpacked. They would otherwise
 * count as about 80 MB of this process's memory. Does nothing without bun:ffi, without this call,
 * and on systems other than Linux.
 */
export function releaseBundlePages(): void {
  if (process.platform !== 'linux') return
  const maps = readFileSync('/proc/self/maps', 'utf8')
  const mapping = findBundleMapping(maps, readlinkSync('/proc/self/exe'))
  if (mapping === null) return
  const libc = openForeignFunctions('libc.so.6', {
    madvise: { args: ['u64', 'u64', 'i32'], returns: 'i32' },
  })
  libc?.symbols.madvise(mapping.start, mapping.end - mapping.start, pageOut)
  libc?.close()
}

/** Finds the mapping of the executable's bundled files in the text of `/proc/self/maps`. */
export function findBundleMapping(
  maps: string,
  executable: string,
): { start: bigint; end: bigint } | null {
  for (const line of maps.split('\n')) {
    const [, from, to, path] = /^([\da-f]+)-([\da-f]+) rw-p \S+ \S+ \d+ +(.*)$/.exec(line) ?? []
    if (path !== executable) continue
    const [start, end] = [BigInt(`0x${from}`), BigInt(`0x${to}`)]
    if (end - start >= smallestPayload) return { start, end }
  }
  return null
}

/** Describes the program and its system for bug reports. */
export function checkExecutable(version: string): CheckResult {
  const libc = process.platform === 'linux' ? glibcVersion() : null
  const place = bundledNatives === null ? 'run from source' : process.execPath
  const target = `${process.platform}-${process.arch}`
  const parts = [`og ${version}`, place, `Bun ${Bun.version}`, target]
  if (process.platform !== 'linux') return { ok: true, detail: parts.join(', ') }
  if (libc !== null) return { ok: true, detail: [...parts, `glibc ${libc}`].join(', ') }
  if (isForMusl) return { ok: true, detail: [...parts, 'musl'].join(', ') }
  return {
    ok: false,
    detail: [...parts, 'no glibc'].join(', '),
    hint: 'this build needs glibc: use the build for musl',
  }
}

const isForMusl = buildTarget?.endsWith('-musl') ?? false

/** The oldest glibc that works. ONNX Runtime requires it; other parts require less. */
const leastGlibc = [2, 28] as const

/** @throws OgError on a Linux without glibc, or if glibc is too old for the native libraries */
export function refuseOtherLibc(): void {
  if (process.platform !== 'linux' || isForMusl) return
  const libc = glibcVersion()
  const [major = 0, minor = 0] = (libc ?? '0.0').split('.').map(Number)
  if (major > leastGlibc[0] || (major === leastGlibc[0] && minor >= leastGlibc[1])) return
  const state = libc === null ? 'it has none (musl?)' : `its version is ${libc}`
  throw new OgError(`Cannot run on this system: og needs glibc ${leastGlibc.join('.')}, ${state}`, {
    hint: 'use a distribution with a newer glibc, such as Debian 10 or later, or og for musl',
  })
}
