/**
 * Prepares the files to bundle into the executable: LanceDB's addon (stripped), the kernels, the
 * model and its tokenizer. ONNX Runtime is a separate set; its library becomes an asset of the
 * release. Each file is zstd-compressed into build/natives/<target>/ in parts,
 * which threads can decompress in little memory.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'
import { dependencies } from '../../package.json'
import type { BundledFiles } from '../../src/platform/native/bundled.ts'
import { buildKernels } from './kernels.ts'
import { sha256 } from '../../src/platform/hash.ts'
import { acquireBuildModel } from '../model/model.ts'
import type { Target } from './target.ts'

const root = join(import.meta.dir, '../..')

/** Paths of the native files of an executable. */
export type Parts = {
  lancedb: string
  /** Empty if ONNX Runtime does not exist for the target. */
  onnx: string[]
  /** Null if there is no C compiler. */
  kernels: string | null
}

export type Sets = { core: BundledFiles; onnx: BundledFiles | null }

/** Returns the parts for this machine, from the installed packages and the C compiler. */
export async function installedParts(target: Target): Promise<Parts> {
  const find = createRequire(import.meta.url)
  const onnx = dirname(dirname(find.resolve('onnxruntime-node')))
  return {
    lancedb: find.resolve(target.lancedb.name),
    onnx: target.onnx.map((file) => join(onnx, 'bin/napi-v6', file)),
    kernels: (await buildKernels()).path,
  }
}

/** Compresses the parts. The paths in the returned manifests name the compressed files. */
export async function prepareNatives(
  target: Target,
  parts: Parts,
  { level }: { level: number },
): Promise<Sets> {
  const folder = join(root, 'build', 'natives', target.name)
  await mkdir(folder, { recursive: true })
  const place = { folder, level }
  const core = await prepareSet(await coreInputs(target, parts), place)
  const onnx = parts.onnx.map((path) => ({ name: basename(path), path, strip: isElf(target) }))
  if (onnx.length === 0) return { core, onnx: null }
  const set = await prepareSet(onnx, place)
  // Without kernels, the default model needs ONNX Runtime, so that it must be in the executable.
  return { core, onnx: parts.kernels === null ? set : await withAsset(set, target) }
}

/** Marks ONNX Runtime's library as an asset. Its binding stays in the executable. */
async function withAsset({ hash, files }: BundledFiles, target: Target): Promise<BundledFiles> {
  const name = `onnxruntime-${dependencies['onnxruntime-node']}-${target.name}.zst`
  const assetOf = async (path: string) => {
    const bytes = await readFile(path)
    return { name, sizeBytes: bytes.length, sha256: sha256(bytes) }
  }
  const marked = files.map(async (file) =>
    file.name === onnxBinding ? file : { ...file, asset: await assetOf(file.path) },
  )
  return { hash, files: await Promise.all(marked) }
}

const onnxBinding = 'onnxruntime_binding.node'

/** Copies the assets of the sets into a folder. Returns their names. */
export async function copyAssets({ onnx }: Sets, folder: string): Promise<string[]> {
  const assets = onnx?.files.flatMap(({ path, asset }) => (asset ? [{ path, asset }] : [])) ?? []
  for (const { path, asset } of assets) await copyFile(path, join(folder, asset.name))
  return assets.map(({ asset }) => asset.name)
}

type Input = { name: string; path: string; strip: boolean }
type Place = { folder: string; level: number }

/** Stripping a Mach-O file would break its signature. */
const isElf = ({ platform }: Target) => platform === 'linux'

async function prepareSet(inputs: Input[], place: Place): Promise<BundledFiles> {
  const files = []
  for (const input of inputs) files.push(await prepare(input, place))
  const hash = createHash('sha256')
    .update(files.map((file) => `${file.name} ${file.sha256}`).join('\n'))
    .digest('hex')
    .slice(0, 16)
  return { hash, files }
}

/**
 * Includes the model once: for og's own encoder, or for ONNX Runtime if the kernels were not built.
 */
async function coreInputs(target: Target, { lancedb, kernels }: Parts): Promise<Input[]> {
  const { modelPath, encoderPath, tokenizerPath } = await acquireBuildModel()
  const model =
    kernels === null
      ? [{ name: 'model_quantized.onnx', path: modelPath, strip: false }]
      : [
          { name: 'encoder.weights', path: encoderPath, strip: false },
          { name: 'kernels.so', path: kernels, strip: false },
        ]
  return [
    { name: 'lancedb.node', path: lancedb, strip: isElf(target) },
    ...model,
    { name: 'tokenizer.json', path: tokenizerPath, strip: false },
  ]
}

/** Strips, compresses and hashes a file if its input or the level has changed. */
async function prepare(input: Input, { folder, level }: Place) {
  const out = join(folder, `${input.name}.${level}.zst`)
  const record = join(folder, `${input.name}.${level}.json`)
  const { size, mtimeMs } = await stat(input.path)
  const key = JSON.stringify([input.path, size, mtimeMs, partBytes, 'checksum'])
  if (existsSync(out) && existsSync(record)) {
    const known = JSON.parse(readFileSync(record, 'utf8'))
    if (known.key === key) return known.file as BundledFiles['files'][number]
  }
  process.stderr.write(`preparing ${input.name}\n`)
  const bytes = input.strip ? await stripped(input.path, folder) : await readFile(input.path)
  const parts = partsOf(bytes)
  const frames = await Promise.all(parts.map((part) => compress(part, level)))
  await writeFile(`${out}.${process.pid}`, Buffer.concat(frames))
  await rename(`${out}.${process.pid}`, out)
  const file = {
    name: input.name,
    path: out,
    sizeBytes: bytes.byteLength,
    sha256: sha256(bytes),
    parts: frames.map(({ length: storedBytes }, i) => ({ storedBytes, start: i * partBytes })),
  }
  await writeFile(record, JSON.stringify({ key, file }))
  return file
}

/** Larger parts take more memory at the first start; smaller parts compress less. */
const partBytes = 32 * 2 ** 20

/** Finds repetitions in the whole part, because LanceDB's code repeats itself over long ways. */
const compress = (part: Uint8Array, level: number) =>
  promisify(zstdCompress)(part, {
    params: {
      [constants.ZSTD_c_compressionLevel]: level,
      [constants.ZSTD_c_enableLongDistanceMatching]: 1,
      [constants.ZSTD_c_checksumFlag]: 1,
      [constants.ZSTD_c_windowLog]: Math.log2(partBytes),
    },
  })

/**
 * The level of development builds. Level 9 takes half as long and adds 3 MB; level 19 takes minutes
 * and saves 6 MB.
 */
export const defaultLevel = 12

function partsOf(bytes: Uint8Array): Uint8Array[] {
  const starts = Array.from(
    { length: Math.ceil(bytes.length / partBytes) },
    (_, i) => i * partBytes,
  )
  return starts.map((start) => bytes.subarray(start, start + partBytes))
}

/** Without `strip` (binutils), the file is bundled unchanged, which merely makes it larger. */
async function stripped(path: string, folder: string): Promise<Uint8Array> {
  const copy = join(folder, `stripping-${process.pid}`)
  await copyFile(path, copy)
  // `strip` rejects files of another architecture and leaves them unchanged.
  if (Bun.which('strip')) Bun.spawnSync(['strip', '--strip-unneeded', copy])
  const bytes = await readFile(copy)
  await rm(copy)
  return bytes
}
