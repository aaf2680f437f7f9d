/**
 * Prepares what the executable embeds: LanceDB's addon (stripped), our kernels, the model and its
 * tokenizer; and, as a set of its own, ONNX Runtime. Each file is zstd-compressed into
 * build/natives/<target>/, in halves, which two threads decompress at once.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import type { Embedded } from '../../src/platform/native/embedded.ts'
import { buildKernels } from './kernels.ts'
import { sha256 } from '../../src/platform/hash.ts'
import { acquireBuildModel } from '../model/model.ts'
import type { Target } from './target.ts'

const root = join(import.meta.dir, '../..')

/** Paths of what is native in an executable. */
export type Parts = {
  lancedb: string
  /** None where the target has no ONNX Runtime. */
  onnx: string[]
  /** null: without a C compiler. */
  kernels: string | null
}

export type Sets = { core: Embedded; onnx: Embedded | null }

/** The parts of this machine's own target, from the packages and the C compiler that are here. */
export async function installedParts(target: Target): Promise<Parts> {
  const find = createRequire(import.meta.url)
  const onnx = dirname(dirname(find.resolve('onnxruntime-node')))
  return {
    lancedb: find.resolve(target.lancedb.name),
    onnx: target.onnx.map((file) => join(onnx, 'bin/napi-v6', file)),
    kernels: (await buildKernels()).path,
  }
}

/** Manifests whose paths are those of the compressed files. */
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
  return { core, onnx: onnx.length === 0 ? null : await prepareSet(onnx, place) }
}

type Input = { name: string; path: string; strip: boolean }
type Place = { folder: string; level: number }

/** A Mach-O is signed: stripping it would break that. */
const isElf = ({ platform }: Target) => platform === 'linux'

async function prepareSet(inputs: Input[], place: Place): Promise<Embedded> {
  const files = []
  for (const input of inputs) files.push(await prepare(input, place))
  const hash = createHash('sha256')
    .update(files.map((file) => `${file.name} ${file.sha256}`).join('\n'))
    .digest('hex')
    .slice(0, 16)
  return { hash, files }
}

/** The model once: as weights for our encoder, or, where that was not built, for ONNX Runtime. */
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

/** Strips, compresses and hashes one file; done again only when the input or the level changed. */
async function prepare(input: Input, { folder, level }: Place) {
  const out = join(folder, `${input.name}.${level}.zst`)
  const record = join(folder, `${input.name}.${level}.json`)
  const { size, mtimeMs } = await stat(input.path)
  const key = JSON.stringify([input.path, size, mtimeMs, 'in parts'])
  if (existsSync(out) && existsSync(record)) {
    const known = JSON.parse(readFileSync(record, 'utf8'))
    if (known.key === key) return known.file as Embedded['files'][number]
  }
  process.stderr.write(`preparing ${input.name}\n`)
  const bytes = input.strip ? await stripped(input.path, folder) : await readFile(input.path)
  const halves = halvesOf(bytes)
  const frames = await Promise.all(halves.map((half) => Bun.zstdCompress(half, { level })))
  await writeFile(`${out}.${process.pid}`, Buffer.concat(frames))
  await rename(`${out}.${process.pid}`, out)
  const file = {
    name: input.name,
    path: out,
    sizeBytes: bytes.byteLength,
    sha256: sha256(bytes),
    parts: frames.map(({ length: storedBytes }, i) => ({
      storedBytes,
      start: i === 0 ? 0 : halves[0]!.length,
      sha256: sha256(halves[i]!),
    })),
  }
  await writeFile(record, JSON.stringify({ key, file }))
  return file
}

function halvesOf(bytes: Uint8Array): Uint8Array[] {
  const middle = Math.ceil(bytes.length / 2)
  return [bytes.subarray(0, middle), bytes.subarray(middle)]
}

/** Without `strip` (no binutils) the file is embedded as it is: larger, not worse. */
async function stripped(path: string, folder: string): Promise<Uint8Array> {
  const copy = join(folder, `stripping-${process.pid}`)
  await copyFile(path, copy)
  // Of another architecture it says that it does not know the format, and changes nothing.
  if (Bun.which('strip')) Bun.spawnSync(['strip', '--strip-unneeded', copy])
  const bytes = await readFile(copy)
  await rm(copy)
  return bytes
}
