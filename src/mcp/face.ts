import { existsSync, realpathSync } from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'
import { readProjectPins, type ProjectPins } from '../version/project.ts'
import { sourceNames, type SourcesPlaces } from '../library/sources/source-list.ts'
import type { OgView } from '../open.ts'
import type { Lookup } from '../platform/web/address-rule.ts'
import type { Reach } from '../platform/reach.ts'
import { openCallCounter } from './call-counter.ts'
import type { Documentation, ToolContext } from './docs/docs-tool.ts'
import { fullContent } from './docs/content-tool.ts'
import { listLibraries } from './docs/list-tool.ts'
import { searchDocuments } from './docs/search-tool.ts'
import { ingestTools } from './ingest/ingest-tools.ts'
import { openJobTasks } from './ingest/job-tasks.ts'
import { openJobs } from './ingest/job.ts'
import type { Observer } from './served-call.ts'
import type { Face } from './server.ts'
import { bindTools, type Tool } from './tool.ts'

export type FaceOptions = {
  /** Whether the tools that index are listed. */
  allowIngest: boolean
  /** Non-public hosts from which an agent may index libraries. */
  allowedHosts?: readonly string[]
  /** Resolves host names; tests replace it. */
  lookup?: Lookup
  /**
   * Whether the caller may see a library; all are visible by default. `og` has to be filtered too.
   */
  canSee?: (library: string) => boolean
  /** Number of hits if a call gives no limit. */
  limit: number
  answerShape: 'og' | 'openground'
  /** The command line that starts this program again. */
  self: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  /** Upstream's statistics file. */
  statsPath: string
  /** Paths of the source lists. */
  places: SourcesPlaces
  /** Called after each call. */
  observe?: Observer
  /** Whether the current folder belongs to the user's project. */
  isInProject: boolean
  warn(line: string): void
}

/** The tools that read documentation. */
export const docsTools: readonly Tool<ToolContext>[] = [searchDocuments, listLibraries, fullContent]

/** Opens the tools that a documentation server lists, with the context in which they run. */
export function openFace(og: OgView, options: FaceOptions): Face & AsyncDisposable {
  const {
    allowIngest,
    limit,
    answerShape,
    self,
    env,
    statsPath,
    isInProject,
    warn,
    places,
    lookup,
  } = options
  const { allowedHosts: hosts = [], canSee } = options
  const reach: Reach = { hosts, folder: isInProject ? projectFolder(places) : null }
  const counter = openCallCounter(statsPath, { warn })
  const project = isInProject ? openProjectReader(places) : async () => null
  const store = async () => (await og.places()).dbPath
  const documentation: Documentation = {
    og,
    limit,
    answerShape,
    jobs: openJobs({ self, env: { ...env, OG_REACH: JSON.stringify(reach) }, store }),
    async resolveSource(name, docsPaths) {
      const { parseAgentSource } = await import('../library/add/agent-source.ts')
      return parseAgentSource(name, { ...places, docsPaths, reach, lookup })
    },
    knownSources: async () => {
      const names = await sourceNames(places)
      return canSee === undefined ? names : names.filter(canSee)
    },
    canSee: canSee ?? null,
    project,
  }
  return {
    og,
    memory: null,
    project,
    tools: bindTools([...docsTools, ...(allowIngest ? ingestTools : [])], documentation),
    ...(allowIngest ? { tasks: openJobTasks(store, canSee) } : {}),
    countCall: counter.count,
    ...(options.observe && { observe: options.observe }),
    [Symbol.asyncDispose]: counter[Symbol.asyncDispose],
  }
}

/** The project folder in which the server was started; null for the home folder and its parents. */
function projectFolder({ cwd, home }: SourcesPlaces): string | null {
  const real = (path: string) => (existsSync(path) ? realpathSync(path) : path)
  const below = relative(real(cwd), real(home))
  const isElsewhere = below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)
  return isElsewhere ? cwd : null
}

/** Dependency lock files can be long, so the pins are cached for some seconds. */
function openProjectReader(
  { cwd, home }: SourcesPlaces,
  cacheMs = 5_000,
): () => Promise<ProjectPins> {
  let read: Promise<ProjectPins> | null = null
  let at = 0
  return () => {
    if (read !== null && performance.now() - at < cacheMs) return read
    at = performance.now()
    return (read = readProjectPins(cwd, home))
  }
}
