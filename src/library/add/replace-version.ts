import {
  createGeneration,
  sweepGenerations,
  type GenerationWriter,
} from '../../store/generation.ts'
import { readEntries, type Entry, type Generation } from '../../store/registry.ts'
import type { ResolvedSource } from '../../source/source.ts'
import { pickEntry } from '../../version/pick.ts'
import { incompleteReason } from '../incomplete.ts'
import { noProgress, type AddProgress, type AddResult, type RunRequest } from '../library.ts'
import { lockVersion, publishLive, type WriteTarget, type VersionName } from '../lock.ts'
import type { LibraryContext, EmbeddingSetup } from '../library-context.ts'
import { checkHealth } from '../quality/health.ts'
import { openLiveState, type LiveState } from './live-state.ts'
import { calibrateGeneration } from './calibrate.ts'
import type { CollectedPages } from './pages.ts'

/** A run that has not taken a lock yet. */
export type RunStart<Request extends RunRequest = RunRequest> = {
  context: LibraryContext
  request: Request
  /** The run's progress. `report` updates it in place and calls the listener. */
  progress: AddProgress
  report(step: Partial<AddProgress>): void
  /** Locks a version until the end of the run. @returns true if it had to wait for another run */
  lock(target: VersionName): Promise<boolean>
}

/** The version that a run replaces. It is known only after the run has its locks. */
export type LockedVersion = {
  target: WriteTarget
  entry: Entry | null
  /** If true, the run fails if another run has replaced or removed this row. */
  isFixed?: boolean
  resolved?: ResolvedSource
}

export type LockedEntry = LockedVersion & { entry: Entry }

/** A run that has its locks. All its steps share this value. */
export type VersionRun<
  Request extends RunRequest = RunRequest,
  T extends LockedVersion = LockedVersion,
> = RunStart<Request> &
  T & {
    /** If `isDamaged`, the live state is not kept for a rollback. */
    publish(live: Generation, isDamaged?: boolean): Promise<void>
  }

/** The previous state, and a function whose first call creates the new generation. */
export type GenerationBuild = { before: LiveState; generation(): Promise<GenerationWriter> }

export type NextState = {
  /**
   * `kept` means that the live generation stays, possibly under a new row. `published` means that
   * the run has published the new state in steps. `written` means that the new state must still be
   * finished and published.
   */
  how: 'kept' | 'published' | 'written'
  live: Generation
  embedded: number
  diff: AddResult['diff']
  collected?: Pick<CollectedPages, 'skipped' | 'failed' | 'ignored' | 'kept' | 'sites'>
  /** Calibrates a `written` state that has no calibration yet. */
  embedding?: EmbeddingSetup
}

/** The steps in which kinds of runs differ, in order of execution. */
type Plan<Request extends RunRequest, T extends LockedVersion> = {
  turn(start: RunStart<Request>): Promise<T>
  current?(run: VersionRun<NoInfer<Request>, NoInfer<T>>): Promise<Generation | null>
  write(run: VersionRun<NoInfer<Request>, NoInfer<T>>, work: GenerationBuild): Promise<NextState>
}

/**
 * Replaces the live state of a library version with its next state, atomically for readers. Takes
 * the locks, sweeps old generations, lets the plan read pages and write chunks into a new
 * generation, measures and publishes it, and sweeps again. `entry` is the row to replace.
 */
export async function replaceVersion<Request extends RunRequest, T extends LockedVersion>(
  context: LibraryContext,
  request: Request,
  plan: Plan<Request, T>,
): Promise<{ entry: T['entry']; result: AddResult }> {
  const started = performance.now()
  using locks = new DisposableStack()
  const start = startOf(context, request, locks)
  const turn = await plan.turn(start)
  const run = { ...start, ...turn, publish: publisherOf(start, turn) }
  await sweepGenerations(context.folder)
  const live = (await plan.current?.(run)) ?? null
  const next = live === null ? await build(run, plan) : unchangedState(live)
  if (next.how === 'kept') await keepLive(run, next.live)
  return { entry: turn.entry, result: resultOf(run, next, started) }
}

function startOf<Request extends RunRequest>(
  context: LibraryContext,
  request: Request,
  locks: DisposableStack,
): RunStart<Request> {
  const progress = { ...noProgress }
  let library = request.library ?? ''
  const report = (step: Partial<AddProgress>) =>
    request.onProgress?.(Object.assign(progress, step), library)
  const lock = async (target: VersionName) => {
    library = target.library
    let hasWaited = false
    const onWait = () => {
      hasWaited = true
      report({ phase: 'waiting' })
    }
    const { lockTimeoutMs, signal } = request
    locks.use(await lockVersion(context.folder, { ...target, lockTimeoutMs, signal, onWait }))
    return hasWaited
  }
  return { context, request, progress, report, lock }
}

/** Locks an indexed version. @throws OgError if the version has been removed */
export function entryLocker({ library, version, live }: Entry) {
  return async ({ context, lock }: RunStart): Promise<LockedEntry> => {
    await lock({ library, version, live })
    // Read again, because the lock's previous holder may have changed or removed the version.
    const entry = pickEntry(await readEntries(context.folder), { library, version })
    return { target: entry, entry, isFixed: true }
  }
}

function publisherOf(
  { context, progress }: RunStart,
  { target, entry, isFixed }: LockedVersion,
): VersionRun['publish'] {
  let replaces = isFixed ? entry!.live.id : undefined
  return async (live, isDamaged) => {
    await publishLive(context.folder, target, { live, isDamaged, replaces })
    if (isFixed) replaces = live.id
    progress.isSearchable = true
  }
}

async function build<Request extends RunRequest, T extends LockedVersion>(
  run: VersionRun<Request, T>,
  { write }: Plan<Request, T>,
): Promise<NextState> {
  using before = await openLiveState(run.context, run.entry)
  return await writeNext(run, before, write)
}

async function writeNext<R extends VersionRun>(
  run: R,
  before: LiveState,
  write: (run: R, work: GenerationBuild) => Promise<NextState>,
): Promise<NextState> {
  const { folder } = run.context
  let writer: GenerationWriter | null = null
  const generation = async () => (writer ??= await createGeneration(folder))
  try {
    const next = await write(run, { before, generation })
    if (next.how === 'written') await finish(run, { before, generation }, next)
    return next
  } finally {
    ;(writer as GenerationWriter | null)?.[Symbol.dispose]()
    // A failed sweep must not hide the error that ended this run. The next writer sweeps again.
    await sweepGenerations(folder).catch(() => [])
  }
}

async function finish(
  run: VersionRun,
  { before, generation }: GenerationBuild,
  { live, embedding = null }: NextState,
): Promise<void> {
  const {
    context,
    request: { minHealth, signal },
    target,
  } = run
  run.report({ phase: 'indexing' })
  await (await generation()).finish()
  embedding?.cache.prune()
  await checkHealth(context, target, { live, minHealth, doing: 'publish' })
  const isMeasured = embedding === null || live.calibration !== undefined
  const measured = isMeasured ? live : await calibrateGeneration(context, live, embedding)
  signal?.throwIfAborted()
  await run.publish(measured, before.kind === 'fresh' || before.rest === 'damaged')
}

/**
 * Changes only the row, which may have a new label, commit or source. Also checks health because
 * `minHealth` applies to the live state.
 */
async function keepLive(
  { context, request, target, entry, publish }: VersionRun,
  live: Generation,
) {
  await checkHealth(context, target, { live, minHealth: request.minHealth, doing: 'accept' })
  const isSame = JSON.stringify(live) === JSON.stringify(entry!.live)
  if (!isSame || entry!.version !== target.version) await publish(live)
}

export function unchangedState(live: Generation): NextState {
  const diff = { added: 0, modified: 0, deleted: 0, unchanged: live.pages }
  return { how: 'kept', live, embedded: 0, diff }
}

function resultOf(
  { target, entry, resolved, progress }: VersionRun,
  { how, live, embedded, diff, collected }: NextState,
  started: number,
): AddResult {
  const { skipped = [], failed = [], ignored = {}, sites = [], kept = 0 } = collected ?? {}
  return {
    library: target.library,
    version: target.version,
    status: how === 'kept' ? 'unchanged' : entry === null ? 'added' : 'updated',
    pages: live.pages,
    chunks: live.chunks,
    embedded,
    ...(progress.shared > 0 ? { shared: progress.shared } : {}),
    diff,
    skipped,
    failed,
    ...(Object.keys(ignored).length > 0 ? { ignored } : {}),
    ...(sites.length > 0 ? { sites } : {}),
    ...(live.leftovers ? { leftovers: live.leftovers } : {}),
    ...(live.names ? { names: live.names } : {}),
    kept,
    incomplete: incompleteReason(live),
    ...(live.incomplete?.host && !live.failed ? { missingHost: live.incomplete.host } : {}),
    ...(resolved?.changes ? { uncommitted: resolved.changes } : {}),
    seconds: (performance.now() - started) / 1000,
  }
}
