import { existsSync, realpathSync } from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'
import { readProjectPins, type ProjectPins } from '../version/project.ts'
import { sourceNames, type SourcesPlaces } from '../library/sources/source-list.ts'
import type { OgView } from '../open.ts'
import type { Lookup } from '../platform/web/address-rule.ts'
import type { Reach } from '../platform/reach.ts'
import { openCallCounter } from './call-counter.ts'
import type { Documentation } from './docs/docs-tool.ts'
import { docsTools } from './docs/docs-tools.ts'
import { ingestTools } from './ingest/ingest-tools.ts'
import { openJobTasks } from './ingest/job-tasks.ts'
import { openJobs } from './ingest/job.ts'
import type { Observer } from './served-call.ts'
import type { Face } from './server.ts'
import { bound } from './tool.ts'

export type FaceOptions = {
  /** Lists the tools that index. */
  allowIngest: boolean
  /** Hosts, beside public ones, from which an agent may have libraries indexed. */
  allowedHosts?: readonly string[]
  /** What the network is; tests have their own. */
  lookup?: Lookup
  /** Which libraries who asks may know of; all, unless given. What is asked has to be so too. */
  isSeen?: (library: string) => boolean
  /** Hits of a search that asks for no number. */
  limit: number
  /** How to run this program once more. */
  self: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  /** Upstream's statistics file. */
  statsPath: string
  /** Where the lists of sources lie. */
  places: SourcesPlaces
  /** Told after each call. */
  observe?: Observer
  /** Whether the current folder is in the user's project. */
  isInProject: boolean
  warn(line: string): void
}

/** The tool tables that a server lists, and what their tools work with. */
export function openFace(og: OgView, options: FaceOptions): Face & AsyncDisposable {
  const { allowIngest, limit, self, env, statsPath, isInProject, warn, places, lookup } = options
  const { allowedHosts: hosts = [], isSeen } = options
  const reach: Reach = { hosts, folder: isInProject ? projectFolder(places) : null }
  const counter = openCallCounter(statsPath, { warn })
  const project = isInProject ? projectReader(places) : async () => null
  const store = async () => (await og.places()).dbPath
  const documentation: Documentation = {
    og,
    limit,
    jobs: openJobs({ self, env: { ...env, OG_REACH: JSON.stringify(reach) }, store }),
    async sourceNamed(typed, docsPaths) {
      const { namedByAgent } = await import('../library/add/agent-source.ts')
      return namedByAgent(typed, { ...places, docsPaths, reach, lookup })
    },
    knownSources: async () => {
      const names = await sourceNames(places)
      return isSeen === undefined ? names : names.filter(isSeen)
    },
    isSeen: isSeen ?? null,
    project,
  }
  return {
    og,
    memory: null,
    project,
    tools: bound([...docsTools, ...(allowIngest ? ingestTools : [])], documentation),
    ...(allowIngest ? { tasks: openJobTasks(store, isSeen) } : {}),
    countCall: counter.count,
    ...(options.observe && { observe: options.observe }),
    [Symbol.asyncDispose]: counter[Symbol.asyncDispose],
  }
}

/** The folder in which a server was started for a project; a home, or what it is in, is none. */
function projectFolder({ cwd, home }: SourcesPlaces): string | null {
  const real = (path: string) => (existsSync(path) ? realpathSync(path) : path)
  const below = relative(real(cwd), real(home))
  const isElsewhere = below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)
  return isElsewhere ? cwd : null
}

/** Lock files can be long: what was read serves for some seconds. */
function projectReader({ cwd, home }: SourcesPlaces, keptMs = 5_000): () => Promise<ProjectPins> {
  let read: Promise<ProjectPins> | null = null
  let at = 0
  return () => {
    if (read !== null && performance.now() - at < keptMs) return read
    at = performance.now()
    return (read = readProjectPins(cwd, home))
  }
}
