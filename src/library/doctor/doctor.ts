import { version } from '../../../package.json'
import { checkTokenizer } from '../../embed/golden.ts'
import { checkModel, checkNetworkNeeds, type EmbedderSubject } from '../../embed/model-check.ts'
import { OgError } from '../../platform/error.ts'
import { runCheck, type Check, type Verdict } from '../../platform/check.ts'
import { checkKernels } from '../../platform/kernels/kernels-check.ts'
import { checkNatives } from '../../platform/native/check.ts'
import type { Natives } from '../../platform/native/load.ts'
import { freeBytes, mayWrite } from '../../platform/file/space.ts'
import { checkExecutable } from '../../platform/system.ts'
import { checkLance } from '../../store/check.ts'
import { remoteOf, type Remote } from '../../store/remote/attached.ts'
import { storeChecks, type Recipe } from './store-checks.ts'
import { tryWithoutNetwork, type Trial } from './trial.ts'

/**
 * The objects to examine. All are lazy, so that each failure to open one belongs to its own check.
 */
export type Patient = {
  /** The store. */
  folder: string
  cachePath: string
  natives(): Promise<Natives>
  embedder: EmbedderSubject
  tokenizerPath(): Promise<string>
  recipe: Recipe
  /** Opens the application on another store, with the same settings. */
  openAt(folder: string): Trial
}

/**
 * Checks everything that og needs, in the order of dependencies. A failing check does not stop
 * later ones. Writes only temporary folders, and repairs unpacked files.
 */
export async function examine(
  patient: Patient,
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

async function offlineChecks({ embedder, openAt }: Patient): Promise<Check[]> {
  const needs = await runCheck('network', () => checkNetworkNeeds(embedder))
  return [needs, ...(await tryWithoutNetwork(openAt))]
}

function notLoaded(): Check[] {
  return [{ name: 'store', ok: false, detail: 'not looked at: LanceDB could not be loaded' }]
}

/** Searching needs no write access, because an index may be mounted read-only. */
async function writingVerdict(folder: string): Promise<Verdict> {
  const remote = remoteOf(folder)
  if (remote !== null) return remoteWritingVerdict(remote)
  if (await mayWrite(folder)) return { ok: true, detail: `${folder} can be written` }
  return {
    ok: true,
    detail: `${folder} is read-only: og query, get, list and mcp answer, nothing can be added`,
    hint: 'OG_DB_PATH names another folder',
  }
}

/** Tests the mechanism that keeps builders apart. Users with read access do not need it. */
async function remoteWritingVerdict({ place, probe, refresh }: Remote): Promise<Verdict> {
  // Detects an unreachable bucket sooner than by writing.
  await refresh()
  const problem = await probe().catch((error) => {
    if (error instanceof OgError && error.code === 'denied') return null
    throw error
  })
  if (problem !== null) return { ok: true, detail: `${place} can be written; ${problem}` }
  return {
    ok: true,
    detail: `${place} cannot be written with these keys: og query, get, list and mcp answer`,
  }
}

/** About twice the size of a large library's generation or of an unpacked release. */
const neededBytes = 500e6

async function diskVerdict(folders: string[]): Promise<Verdict> {
  const places = await Promise.all(
    folders.map(async (folder) => ({
      folder,
      // A read-only medium is always full, and og never writes to it.
      free: (await mayWrite(folder)) ? await freeBytes(folder) : null,
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
