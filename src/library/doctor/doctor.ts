import { version } from '../../../package.json'
import {
  checkTokenizer,
  checkModel,
  checkNetworkNeeds,
  type EmbedderToCheck,
} from '../../embed/golden.ts'
import { OgError } from '../../platform/error.ts'
import { runCheck, type Check, type CheckResult } from '../../platform/check.ts'
import { type Natives, nativesRoot, checkExecutable } from '../../platform/native/load.ts'
import { freeBytes, canWrite } from '../../platform/file/space.ts'
import { checkLance } from '../../store/check.ts'
import { remoteBucketOf, type RemoteBucket } from '../../store/remote-bucket.ts'
import { storeChecks, type BuildSettings } from './store-checks.ts'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTempFolder } from '../../platform/file/files.ts'
import { closeNetwork, internetSockets } from '../../platform/web/sockets.ts'
import type { AddRequest, AddResult, Hit, SearchRequest } from '../library.ts'
import { openKernels, type Kernels } from '../../platform/kernels/kernels.ts'
import { existsSync } from 'node:fs'
import { bundledNatives, bundledOnnx, type BundledFiles } from '../../platform/native/bundled.ts'
import { damagedFiles, unpack } from '../../platform/native/unpack.ts'

/** The objects to examine. They open lazily, so that each check reports its own failures. */
export type DoctorContext = {
  folder: string
  cachePath: string
  natives(): Promise<Natives>
  embedder: EmbedderToCheck
  tokenizerPath(): Promise<string>
  recipe: BuildSettings
  openAt(folder: string): TrialStore
}

/**
 * Checks everything that og needs, in the order of dependencies. If a check fails, later checks
 * still run. Writes only temporary folders, and repairs the unpacked native libraries.
 */
export async function runDoctor(
  patient: DoctorContext,
  options: { offline: boolean; isDeep?: boolean },
): Promise<Check[]> {
  const { folder, cachePath, natives, embedder } = patient
  return [
    await runCheck('executable', () => checkExecutable(version)),
    await runCheck('natives', () => checkNatives(cachePath, natives)),
    await runCheck('kernels', async () => checkKernels((await natives()).kernels)),
    await runCheck('LanceDB', () => natives().then(checkLance)),
    await runCheck('model', () => checkModel(embedder, options)),
    await runCheck('tokenizer', async () => checkTokenizer(await patient.tokenizerPath())),
    ...(await natives().then(() => storeChecks(folder, patient.recipe, options), notLoaded)),
    await runCheck('writing', () => writingVerdict(folder)),
    await runCheck('disk', () => diskVerdict([folder, cachePath])),
    ...(options.offline ? await offlineChecks(patient) : []),
  ]
}

async function offlineChecks({ embedder, openAt }: DoctorContext): Promise<Check[]> {
  const needs = await runCheck('network', () => checkNetworkNeeds(embedder))
  return [needs, ...(await tryWithoutNetwork(openAt))]
}

function notLoaded(): Check[] {
  return [{ name: 'store', ok: false, detail: 'not checked: LanceDB could not be loaded' }]
}

/** Accepts a missing write permission, because searching does not need it. */
async function writingVerdict(folder: string): Promise<CheckResult> {
  const remote = remoteBucketOf(folder)
  if (remote !== null) return remoteWritingVerdict(remote)
  if (await canWrite(folder)) return { ok: true, detail: `${folder} can be written` }
  return {
    ok: true,
    detail: `${folder} is read-only: og query, get, list and mcp work, but nothing can be added`,
    hint: 'set OG_DB_PATH to another folder',
  }
}

/** Tests the lock that keeps builders of a bucket apart. Readers do not need it. */
async function remoteWritingVerdict({ place, probe, refresh }: RemoteBucket): Promise<CheckResult> {
  // Detects an unreachable bucket earlier than a write would.
  await refresh()
  const problem = await probe().catch((error) => {
    if (error instanceof OgError && error.code === 'denied') return null
    throw error
  })
  if (problem !== null) return { ok: true, detail: `${place} can be written; ${problem}` }
  return {
    ok: true,
    detail: `${place} cannot be written with these keys: only og query, get, list and mcp work`,
  }
}

/** About twice the size of a large library's generation or of an unpacked release. */
const neededBytes = 500e6

async function diskVerdict(folders: string[]): Promise<CheckResult> {
  const places = await Promise.all(
    folders.map(async (folder) => ({
      folder,
      // A read-only medium has no free space, and og never writes to it.
      free: (await canWrite(folder)) ? await freeBytes(folder) : null,
    })),
  )
  const detail = places
    .map(({ folder, free }) =>
      free === null ? `${folder}: read-only` : `${(free / 1e9).toFixed(1)} GB free for ${folder}`,
    )
    .join('; ')
  if (places.every(({ free }) => free === null || free >= neededBytes)) return { ok: true, detail }
  const hint = 'free 0.5 GB, or name other folders by OG_DB_PATH and OG_CACHE_DIR'
  return { ok: false, detail, hint }
}

/** The part of the opened application that a trial needs. */
export type TrialStore = AsyncDisposable & {
  add(request: AddRequest): Promise<AddResult>
  search(request: SearchRequest): Promise<{ hits: Hit[] }>
}

/**
 * Indexes a page and runs a query in a temporary folder, with network access blocked for
 * JavaScript. Then checks that this process, including native code, has opened no internet socket.
 */
export async function tryWithoutNetwork(openAt: (folder: string) => TrialStore): Promise<Check[]> {
  using network = closeNetwork()
  const before = await internetSockets()
  const left = { sockets: null as string[] | null }
  const trial = await runCheck('trial without network', async () => {
    await using folder = await createTempFolder('og-doctor')
    await using og = openAt(join(folder.path, 'store'))
    const verdict = await indexAndAsk(og, join(folder.path, 'docs'))
    // Read while the embedder and the tables are still open.
    left.sockets = await internetSockets()
    return verdict
  })
  const opened = left.sockets?.filter((socket) => !before?.includes(socket)) ?? null
  return [trial, { name: 'sockets', ...socketVerdict(network.attempts, opened) }]
}

async function indexAndAsk(og: TrialStore, docs: string): Promise<CheckResult> {
  const started = performance.now()
  await mkdir(docs)
  await writeFile(join(docs, 'backups.md'), trialPage)
  const source = { kind: 'local_path', path: docs } as const
  const added = await og.add({ library: 'trial', version: '1', source, lockTimeoutMs: 10_000 })
  const { hits } = await og.search({ query: question, library: 'trial', version: null, limit: 1 })
  const ms = Math.round(performance.now() - started)
  const counts = `${added.pages} page, ${added.chunks} chunks, ${added.embedded} embeddings`
  if (hits[0]?.heading.endsWith(answer)) {
    return { ok: true, detail: `indexed ${counts} and answered a question (${ms} ms)` }
  }
  const best = hits[0] ? `"${hits[0].heading}"` : 'nothing'
  return { ok: false, detail: `indexed ${counts}, but "${question}" found ${best}` }
}

function socketVerdict(attempts: string[], opened: string[] | null): CheckResult {
  const tries = [...new Set(attempts)].join(', ')
  if (tries !== '') return { ok: false, detail: `the trial tried to reach the network: ${tries}` }
  if (opened === null) {
    return { ok: true, detail: 'no attempt to reach the network (the system shows no sockets)' }
  }
  if (opened.length === 0) {
    return { ok: true, detail: 'no attempt to reach the network, no internet socket open' }
  }
  return { ok: false, detail: `left open by the trial: ${opened.join(', ')}` }
}

const question = 'for how many days is a backup kept?'
const answer = 'Retention'
const trialPage = `# Backups

## Schedule

The job runs every night at two. It writes to the folder named by \`--target\`.

${'Each run begins with a check of the free space and of the clock. '.repeat(20)}

## Retention

A backup is kept for thirty days. Older ones are deleted, the oldest first.

${'Deleting is logged with the name of the file and its size in bytes. '.repeat(20)}

## Encryption

Files are encrypted with the key of the machine before they leave it.

${'The key lies in the settings folder and is read by the job alone. '.repeat(20)}
`

/**
 * Checks that the current instruction set computes the same results as the JavaScript twin. Using
 * the twin itself is not a failure because it is only slower.
 */
export function checkKernels(path: string | null): CheckResult {
  const kernels = openKernels(path)
  const twin = openKernels(null, { isa: 'js' })
  const difference = greatestDifference(kernels, twin)
  if (!(difference < 1e-4)) {
    return {
      ok: false,
      detail: `${kernels.isa}: answers differ from the JavaScript twin by ${difference}`,
      hint: 'please report it with the name of the CPU',
    }
  }
  if (kernels.fallbackReason === undefined) return { ok: true, detail: `${kernels.isa}, exact` }
  return {
    ok: true,
    detail: `JavaScript twins (slower): ${kernels.fallbackReason}`,
    hint: 'install a C compiler and build og again (npm run build)',
  }
}

const dims = 37

function greatestDifference(kernels: Kernels, twin: Kernels): number {
  const [mine, theirs] = [kernels, twin].map(answers) as [number[], number[]]
  return Math.max(...mine.map((x, i) => Math.abs(x - theirs[i]!)))
}

function answers(kernels: Kernels): number[] {
  const block = Float32Array.from({ length: 11 * dims }, (_, i) => Math.sin(i * i + 1))
  kernels.normalise(block, dims)
  const { rows, scores } = kernels.topk(block.slice(0, dims), block, { dims, k: 5 })
  return [...rows, ...scores, ...kernels.pairwise(block, dims)]
}

/**
 * Hashes every unpacked file, unpacks damaged files again, and reports that. If og runs from
 * source, only checks that the packages' files exist because kernels and model have their own
 * checks.
 */
export async function checkNatives(
  cachePath: string,
  load: () => Promise<Natives>,
): Promise<CheckResult> {
  if (bundledNatives === null) return verdictOfSource(await load())
  const remarks: string[] = []
  const root = await nativesRoot(cachePath, (line) => remarks.push(line))
  const sets = [bundledNatives, ...unpackedOnnx(root)]
  const { folder, repaired } = await repairNatives(bundledNatives, root)
  for (const set of sets.slice(1)) repaired.push(...(await repairNatives(set, root)).repaired)
  if (repaired.length > 0) remarks.push(`damaged and now repaired: ${repaired.join(', ')}`)
  await load()
  const count = sets.reduce((sum, { files }) => sum + files.length, 0)
  const summary = `${folder}: ${count} files, every byte as built`
  return { ok: true, detail: [summary, ...remarks].join('; ') }
}

export async function repairNatives(
  embedded: BundledFiles,
  root: string,
): Promise<{ folder: string; repaired: string[] }> {
  const place = join(root, embedded.hash)
  const repaired = existsSync(place) ? await damagedFiles(embedded, place) : []
  const folder = await unpack(embedded, root, { verify: repaired.length > 0 })
  return { folder, repaired }
}

/** Returns ONNX Runtime's files if they are unpacked because a model needed them. */
function unpackedOnnx(root: string): BundledFiles[] {
  if (bundledOnnx === null || !existsSync(join(root, bundledOnnx.hash))) return []
  return [bundledOnnx]
}

async function verdictOfSource({ lancedb, onnxruntime: find }: Natives): Promise<CheckResult> {
  const onnxruntime = await find()
  const missing = [lancedb, onnxruntime].filter((path) => !existsSync(path))
  if (missing.length > 0) {
    return { ok: false, detail: `missing: ${missing.join(', ')}`, hint: 'run npm ci' }
  }
  return { ok: true, detail: `run from source: ${lancedb}, ${onnxruntime}` }
}
