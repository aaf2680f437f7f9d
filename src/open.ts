import { existsSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from './config/config.ts'
import type { ApiDiff, ApiListing } from './library/api-symbols.ts'
import type { AddRequest, AddResult, LibraryVersion } from './library/library.ts'
import type { DiffRequest, LibraryDiff } from './library/diff.ts'
import type { ExtractResult, ExtractRequest } from './library/add/extract.ts'
import type { FreeResult } from './library/free.ts'
import type { LibraryContext } from './library/library-context.ts'
import { listLibraries, versionsOfGenerations, type StoredVersion } from './library/list.ts'
import type { LockRequest } from './library/lock.ts'
import type { Packs } from './library/pack/packs.ts'
import type { ReembedOutcome, ReembedRequest, ResumeRequest } from './library/add/reembed.ts'
import type { RepairReport } from './library/doctor/repair.ts'
import { openReader, type Reader, visibleEntries, visibleOnly } from './library/reader.ts'
import { checkStoreFolder } from './library/copy.ts'
import type { UpdateOutcome, UpdateRequest, WatchRequest } from './library/add/update.ts'
import type { NativesHook, OpenedStore } from './open-store.ts'
import type { Check } from './platform/check.ts'
import { once } from './platform/concurrency.ts'
import { isRemoteStore } from './store/remote/address.ts'
import type { VersionQuery } from './version/pick.ts'

export type OgView = Reader & {
  list(): Promise<LibraryVersion[]>
  holdings(): Promise<StoredVersion[]>
  warm(): Promise<{ library: string; version: string }[]>
  remove(request: LockRequest): Promise<LibraryVersion>
  rollback(request: RollbackRequest): Promise<LibraryVersion>
  diff(request: DiffRequest): Promise<LibraryDiff>
  diffApi(request: DiffRequest): Promise<ApiDiff>
  places(): Promise<{ dbPath: string; rawDataPath: string }>
}

type RollbackRequest = Omit<LockRequest, 'version'> & { version: string | null }

export type Og = OgView &
  AsyncDisposable & {
    seenAs(canSee: (library: string) => boolean): OgView
    add(request: AddRequest): Promise<AddResult>
    free(request: { isDry: boolean }): AsyncGenerator<FreeResult>
    /** Writes the pages of a source as raw pages (JSON in `raw_data`) without indexing them. */
    extract(request: ExtractRequest): Promise<ExtractResult>
    api(request: VersionQuery & { prefix: string }): Promise<ApiListing>
    /** Watches sources until the signal aborts. */
    watch(request: WatchRequest): Promise<void>
    /** Updates the indexed libraries. Yields each outcome immediately. */
    update(request: UpdateRequest): AsyncGenerator<UpdateOutcome>
    resume(request: ResumeRequest): AsyncGenerator<UpdateOutcome>
    reembed(request: ReembedRequest): AsyncGenerator<ReembedOutcome>
    /** Runs all checks. If `offline` is set, also indexes and searches without network access. */
    doctor(options: { offline: boolean; isDeep?: boolean }): Promise<{ checks: Check[] }>
    packs: Packs
    repair(request: { lockTimeoutMs: number; signal?: AbortSignal }): AsyncGenerator<RepairReport>
  }

type Warn = (line: string) => void
export type OpenOptions = NativesHook & {
  /** True for writers and checks, which must not fall back to the local copy during an outage. */
  needsBucket?: boolean
}

/**
 * Returns a check for read-only commands, which fails if the configured folder is not a store.
 * Skips the check for one second after a success.
 */
function storeCheck(): (config: Config) => Promise<void> {
  let checkedAt = -Infinity
  return async (config) => {
    if (performance.now() - checkedAt < 1_000) return
    await checkStoreFolder(config)
    checkedAt = performance.now()
  }
}

export function openOg(
  config: Config,
  warn: Warn,
  { onNatives, needsBucket = false }: OpenOptions = {},
): Og {
  const stack = new AsyncDisposableStack()
  const located = once(async () => ({
    ...config,
    dbPath: await storeFolder(config, { warn, needsBucket }, stack),
  }))
  const checkStore = storeCheck()
  const readyToRead = () => located().then(checkStore).then(ready)
  let openIds: () => string[] = () => []
  const ready = once(async () => {
    const { openStore } = await import('./open-store.ts')
    const opened = await openStore(await located(), { warn, onNatives }, stack)
    openIds = opened.entries.openIds
    return opened
  })
  type Run<Request, Outcome> = (
    context: LibraryContext,
    request: Request,
  ) => AsyncGenerator<Outcome>
  /** Runs an operation that yields outcomes. Loads its module at first use. */
  const oneByOne = <Request, Outcome>(load: () => Promise<Run<Request, Outcome>>) =>
    async function* (request: Request): AsyncGenerator<Outcome> {
      yield* (await load())((await ready()).context, request)
    }
  const whole: OgView = {
    ...openReader(readyToRead),
    list: async () => listLibraries((await located()).dbPath),
    holdings: async () => storedVersions((await located()).dbPath, config),
    warm: async () => versionsOfGenerations((await located()).dbPath, openIds()),
    remove: async (request) =>
      (await import('./library/rollback.ts')).removeVersion((await located()).dbPath, request),
    rollback: async (request) =>
      (await import('./library/rollback.ts')).rollbackVersion((await located()).dbPath, request),
    ...diffLater(ready),
    places: located,
  }
  return {
    add: async (request) =>
      (await import('./library/add/add.ts')).addLibrary((await ready()).context, request),
    ...whole,
    seenAs: (canSee) => seenView(whole, { canSee, ready: readyToRead }),
    free: (request) => freed(readyToRead, request),
    async extract(request) {
      const { extractPages } = await import('./library/add/extract.ts')
      const { dbPath: folder, rawDataPath, extraction, reach } = await located()
      const pageLanes = extraction.concurrencyLimit
      return extractPages({ folder, rawDataPath, pageLanes, reach }, request)
    },
    ...apiLater(readyToRead),
    watch: async (request) =>
      (await import('./library/add/update.ts')).watchLibraries((await ready()).context, request),
    update: oneByOne(async () => (await import('./library/add/update.ts')).updateLibraries),
    resume: oneByOne(async () => (await import('./library/add/reembed.ts')).resumeLibraries),
    reembed: oneByOne(async () => (await import('./library/add/reembed.ts')).reembedLibraries),
    repair: oneByOne(async () => (await import('./library/doctor/repair.ts')).repairStore),
    doctor: async (options) => ({ checks: await examine(await located(), warn, options) }),
    packs: packsLater(ready),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Restricts every answer to visible libraries, so that no operation can reach others. */
function seenView(
  whole: OgView,
  { canSee, ready }: { canSee: (library: string) => boolean; ready: () => Promise<OpenedStore> },
): OgView {
  const seen = visibleOnly(canSee)
  const folder = async () => (await whole.places()).dbPath
  const checkSides = async (request: DiffRequest) => {
    await seen.check(await folder(), request.from)
    if (request.to !== null) await seen.check(await folder(), request.to)
    return request
  }
  return {
    ...openReader(async () => {
      const { context, entries } = await ready()
      return { context, entries: visibleEntries(entries, canSee) }
    }),
    list: async () => seen.among(await whole.list()),
    holdings: async () => seen.among(await whole.holdings()),
    warm: async () => seen.among(await whole.warm()),
    remove: async (request) => seen.check(await folder(), request).then(whole.remove),
    rollback: async (request) => seen.check(await folder(), request).then(whole.rollback),
    diff: (request) => checkSides(request).then(whole.diff),
    diffApi: (request) => checkSides(request).then(whole.diffApi),
    places: whole.places,
  }
}

async function examine(
  config: Config,
  warn: Warn,
  options: { offline: boolean; isDeep?: boolean },
): Promise<Check[]> {
  const { runDoctor } = await import('./library/doctor/doctor.ts')
  const { openPatient } = await import('./open-store.ts')
  const openAt = (trial: Config) => openOg(trial, () => {})
  return runDoctor(openPatient(config, warn, openAt), options)
}

async function storedVersions(folder: string, config: Config): Promise<StoredVersion[]> {
  const { listStoredVersions } = await import('./library/list.ts')
  const { embedderRecipe } = await import('./config/embedders.ts')
  const { chunkingOf } = await import('./library/recipe.ts')
  const [chunking, embedder] = [chunkingOf(config.embeddings), embedderRecipe(config)]
  return listStoredVersions(folder, { chunking, embedder })
}

function diffLater(ready: () => Promise<OpenedStore>): Pick<OgView, 'diff' | 'diffApi'> {
  return {
    diff: async (request) =>
      (await import('./library/diff.ts')).diffLibraries((await ready()).context, request),
    diffApi: async (request) =>
      (await import('./library/api-symbols.ts')).diffApi((await ready()).context, request),
  }
}

function apiLater(readyToRead: () => Promise<OpenedStore>): Pick<Og, 'api'> {
  return {
    api: async (request) =>
      (await import('./library/api-symbols.ts')).listApi((await readyToRead()).entries, request),
  }
}

function packsLater(ready: () => Promise<OpenedStore>): Packs {
  const packs = async () => (await import('./library/pack/packs.ts')).openPacks(ready)
  return {
    write: async (request) => (await packs()).write(request),
    add: async (request) => (await packs()).add(request),
  }
}

type StoreOpening = { warn: Warn; needsBucket: boolean }

/**
 * Returns the store's folder. If the user has not chosen one and the default cannot be created (a
 * read-only home), uses a private temporary folder and calls `warn`.
 */
async function storeFolder(
  config: Config,
  opening: StoreOpening,
  stack: AsyncDisposableStack,
): Promise<string> {
  const { warn } = opening
  const { dbPath, isStoreNamed } = config
  if (isRemoteStore(dbPath)) return remoteFolder(config, opening, stack)
  if (process.env.OG_DB_PATH || existsSync(dbPath)) return dbPath
  if (isStoreNamed) return dbPath
  if (await canCreate(dbPath)) return dbPath
  const { privateTempFolder } = await import('./platform/native/load.ts')
  const folder = join(await privateTempFolder(), 'store')
  warn(`cannot create ${dbPath}; using ${folder} (set OG_DB_PATH to a folder that lasts)`)
  return folder
}

async function remoteFolder(
  { dbPath, cachePath, store }: Config,
  opening: StoreOpening,
  stack: AsyncDisposableStack,
): Promise<string> {
  const { openRemote } = await import('./store/remote/open-remote.ts')
  const { cacheBytes, ...access } = store
  const remote = await openRemote({ address: dbPath, cachePath, access, cacheBytes, ...opening })
  stack.defer(() => remote.locksReleased())
  return remote.folder
}

/** Checks permissions without creating a folder, so that a query leaves no traces. */
async function canCreate(folder: string): Promise<boolean> {
  let parent = dirname(folder)
  while (!existsSync(parent)) parent = dirname(parent)
  return access(parent, constants.W_OK).then(
    () => true,
    () => false,
  )
}

async function* freed(ready: () => Promise<OpenedStore>, request: { isDry: boolean }) {
  const { freeUnusedData } = await import('./library/free.ts')
  const {
    context: { folder },
    entries,
    natives,
  } = await ready()
  yield* freeUnusedData({ folder, natives: natives.folder }, entries, request)
}
