/**
 * Prepares what the executable embeds: LanceDB's addon (stripped), our kernels, the model and its
 * tokenizer; and, as a set of its own, ONNX Runtime. Each file is zstd-compressed into
 * build/natives/<target>/.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Embedded } from '../../src/platform/native/embedded.ts'
import { buildKernels } from './kernels.ts'
import { acquireBuildModel } from '../model/model.ts'

const root = join(import.meta.dir, '../..')

type Input = { name: string; path: string; strip: boolean }

/** Manifests whose paths are those of the compressed files. */
export async function prepareNatives(
  options: { level: number },
): Promise<{ core: Embedded; onnx: Embedded }> {
  const core = await prepareSet(await coreInputs(), options.level)
  return { core, onnx: await prepareSet(onnxInputs(), options.level) }
}

async function prepareSet(inputs: Input[], level: number): Promise<Embedded> {
  const folder = join(root, 'build', 'natives', `${process.platform}-${process.arch}`)
  await mkdir(folder, { recursive: true })
  const files = []
  for (const input of inputs) files.push(await prepare(input, folder, level))
  const hash = createHash('sha256')
    .update(files.map((file) => `${file.name} ${file.sha256}`).join('\n'))
    .digest('hex')
    .slice(0, 16)
  return { hash, files }
}

const find = createRequire(import.meta.url)

/** The model once: as weights for our encoder, or, where that was not built, for ONNX Runtime. */
async function coreInputs(): Promise<Input[]> {
  const libc = process.platform === 'linux' ? '-gnu' : process.platform === 'win32' ? '-msvc' : ''
  const lancedb = find.resolve(`@lancedb/lancedb-${process.platform}-${process.arch}${libc}`)
  const { modelPath, encoderPath, tokenizerPath } = await acquireBuildModel()
  const { path: kernels } = await buildKernels()
  const model = kernels === null
    ? [{ name: 'model_quantized.onnx', path: modelPath, strip: false }]
    : [
        { name: 'encoder.weights', path: encoderPath, strip: false },
        { name: 'kernels.so', path: kernels, strip: false },
      ]
  return [
    { name: 'lancedb.node', path: lancedb, strip: true },
    ...model,
    { name: 'tokenizer.json', path: tokenizerPath, strip: false },
  ]
}

function onnxInputs(): Input[] {
  const folder = join(
    dirname(dirname(find.resolve('onnxruntime-node'))),
    `bin/napi-v6/${process.platform}/${process.arch}`,
  )
  const library = { linux: 'libonnxruntime.so.1', darwin: 'libonnxruntime.1.dylib' }[
    process.platform as string
  ] ?? 'onnxruntime.dll'
  return [
    {
      name: 'onnxruntime_binding.node',
      path: join(folder, 'onnxruntime_binding.node'),
      strip: false,
    },
    { name: library, path: join(folder, library), strip: true },
  ]
}

/** Strips, compresses and hashes one file; done again only when the input or the level changed. */
async function prepare(input: Input, folder: string, level: number) {
  const out = join(folder, `${input.name}.${level}.zst`)
  const record = join(folder, `${input.name}.${level}.json`)
  const { size, mtimeMs } = await stat(input.path)
  const key = JSON.stringify([size, mtimeMs])
  if (existsSync(out) && existsSync(record)) {
    const known = JSON.parse(readFileSync(record, 'utf8'))
    if (known.key === key) return known.file as Embedded['files'][number]
  }
  process.stderr.write(`preparing ${input.name}\n`)
  const bytes = input.strip ? await stripped(input.path, folder) : await readFile(input.path)
  const compressed = await Bun.zstdCompress(bytes, { level })
  await writeFile(`${out}.${process.pid}`, compressed)
  await rename(`${out}.${process.pid}`, out)
  const file = {
    name: input.name,
    path: out,
    sizeBytes: bytes.byteLength,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    compressed: true,
  }
  await writeFile(record, JSON.stringify({ key, file }))
  return file
}

/** Without `strip` (no binutils) the file is embedded as it is: larger, not worse. */
async function stripped(path: string, folder: string): Promise<Uint8Array> {
  const copy = join(folder, `stripping-${process.pid}`)
  await copyFile(path, copy)
  const flags = process.platform === 'darwin' ? ['-x'] : ['--strip-unneeded']
  if (Bun.which('strip')) Bun.spawnSync(['strip', ...flags, copy])
  const bytes = await readFile(copy)
  await rm(copy)
  return bytes
}
