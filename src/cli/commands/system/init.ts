import { noteError } from '../../answer/notes.ts'
import type { Config } from '../../../config/config.ts'
import { loadConfig } from '../../../config/load.ts'
import { userHome } from '../../../config/paths.ts'
import type { LibraryVersion } from '../../../library/library.ts'
import { openJobLimiter } from '../../../platform/concurrency.ts'
import { OgError } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import { chooseSource } from '../../../source/choice/choice.ts'
import type { PackageOptions } from '../../../source/choice/package-choice.ts'
import { packageLibrary, packageKey, parsePackage } from '../../../version/package-name.ts'
import { compareReleases, nearVersion } from '../../../version/pinned-version.ts'
import { parseRelease, type Release, isDateVersion } from '../../../version/release.ts'
import { readDependencies, type Dependency } from '../../../version/dependency.ts'
import { command, option } from '../../command.ts'
import type { Context } from '../../context.ts'
import { openHandover, startAddJob } from '../library/jobs.ts'
import { showProgress } from '../../progress.ts'
import type { Terminal } from '../../terminal.ts'
import { renderTable } from '../../screen/layout.ts'
import { renderSummary } from '../../answer/summary.ts'
import { versionsFromOtherSources, labelToKeep } from '../../../operation/add/other-source.ts'

export const init = command({
  name: 'init',
  summary: 'index the documentation of the dependencies of the project',
  options: {
    all: option.flag('index every dependency that is not indexed'),
    only: option.texts('NAME', 'index this dependency'),
    look: option.flag('print where documentation is and how large it is'),
    installed: option.flag('index the installed packages, without a network'),
    dev: option.flag('include dependencies for building and testing'),
    detach: option.flag('return when all can be searched; a job embeds them (og jobs)'),
    check: option.flag('exit with 1 if the version of a dependency is not indexed'),
    json: option.flag('print a JSON list'),
  },
  async run(context, { all, only: names, look, installed, dev, detach, check, json }) {
    const { terminal, env } = context
    const { dependencies, warnings } = await readDependencies(process.cwd(), userHome(env))
    for (const warning of warnings) terminal.note('warning', warning)
    const only = names.map((name) => wholeName(name, dependencies))
    const isAsked = (it: Dependency) => dev || !it.isDev || only.includes(it.name)
    const chosen = dependencies.filter(isAsked)
    const unknown = only.find((name) => !chosen.some((it) => it.name === name))
    if (unknown !== undefined) throw notAsked(unknown, chosen)
    const config = await loadConfig(env)
    const indexed = await listIndexed(context)
    const states = chosen.map((it) => stateOf(it, indexed))
    if (chosen.length === 0 && !json) terminal.note('plain', nothingToAdd(dependencies))
    if (check) return await printStates(context, states, json)
    const isChosen = all || only.length > 0 || (installed && !look)
    const open = states.filter(
      ({ name, status, incomplete = null }) =>
        (status !== 'indexed' || incomplete !== null) && (only.length === 0 || only.includes(name)),
    )
    const choosing: Choosing = {
      config,
      onlyInstalled: installed,
      deadRegistries: new Map(),
      detach,
      left: new Set(),
    }
    if (look) await findSources(context, open, choosing)
    if (!isChosen) await print(context, states, json)
    const isWished = look && !isChosen && !json && (await isAskedFor(terminal, open))
    const toAdd = isChosen ? open : open.filter((it) => isWished && it.found !== undefined)
    let nFailed = 0
    for (const state of toAdd) {
      nFailed += await addDependency(context, state, choosing).catch((error: unknown) => {
        if (!(error instanceof OgError)) throw error
        noteError(terminal, error, state.package)
        return 1
      })
    }
    if (choosing.left.size > 0) await embedLater(context, choosing.left)
    if (choosing.deadRegistries.size > 0)
      terminal.note('hint', 'og init --installed needs no registry')
    if (isChosen || isWished) {
      const after = await listIndexed(context)
      await print(
        context,
        chosen.map((it) => stateOf(it, after)),
        json,
      )
    } else noteRemedies(terminal, open)
    return nFailed > 0 ? 1 : 0
  },
})

function noteRemedies(terminal: Terminal, open: readonly State[]): void {
  if (open.some(({ status }) => status !== 'indexed')) {
    const agents = 'og install-mcp lets coding agents ask them'
    terminal.note('hint', `og init --all indexes those that are not; ${agents}`)
  }
  if (open.some(({ incomplete }) => incomplete !== undefined)) {
    terminal.note('hint', 'og update reads the incomplete ones again')
  }
}

type State = {
  name: string
  /** A package, such as `npm:zod`. */
  package: string
  version: string
  file: string
  status: 'indexed' | 'behind' | 'newer' | 'missing'
  indexed: string[]
  incomplete?: string
  found?: string
  problem?: string
}

async function findSources(
  context: Context,
  states: readonly State[],
  choosing: Choosing,
): Promise<void> {
  const turns = openJobLimiter(4)
  await Promise.all(
    states.map((state) =>
      turns.run(async () => {
        try {
          const { how, incomplete } = await choiceOf(context, state, choosing)
          const gap = incomplete ? ` (incomplete: ${incomplete.reason})` : ''
          state.found = `${how ?? state.package}${gap}`
        } catch (error) {
          if (!(error instanceof OgError)) throw error
          state.problem = error.message
        }
      }),
    ),
  )
}

type Choosing = Required<Pick<PackageOptions, 'onlyInstalled' | 'deadRegistries'>> & {
  config: Config
  detach: boolean
  /** Libraries with remaining embeddings, which a job computes. */
  left: Set<string>
}

/** Starts one job for all libraries, because several jobs would compete for the processors. */
async function embedLater(context: Context, left: ReadonlySet<string>): Promise<void> {
  const input = { library: null, version: null }
  await startAddJob(context, input, { options: ['--resume'] })
  const { terminal } = context
  terminal.note('plain', `${[...left].join(', ')}: searchable now; the embeddings follow`)
  terminal.note('hint', 'og jobs --follow shows their progress')
}

function choiceOf(
  context: Context,
  { package: url, version }: State,
  { config: { reach }, ...options }: Choosing,
) {
  const surroundings = { env: context.env, home: userHome(context.env), cwd: process.cwd() }
  const signal = context.interruption()
  return chooseSource(
    { kind: 'package', url },
    { version, surroundings, reach, signal, ...options },
  )
}

async function isAskedFor(terminal: Terminal, open: readonly State[]): Promise<boolean> {
  const nFound = open.filter((it) => it.found !== undefined).length
  if (nFound === 0 || !terminal.canAsk) return false
  return terminal.ask(nFound === 1 ? 'Index the one that is found?' : `Index the ${nFound} found?`)
}

async function listIndexed(context: Context): Promise<LibraryVersion[]> {
  await using og = await context.openOg(await loadConfig(context.env))
  return await og.list()
}

function stateOf(dependency: Dependency, indexed: readonly LibraryVersion[]): State {
  const { name, registry, named: version, file } = dependency
  const place = packageKey({ registry, name, version: null })
  const mine = versionsOf(dependency, indexed)
  const versions = mine.map((it) => it.version)
  const near = nearVersion(version, versions)
  // A similar version can answer queries, but it is not the project's version.
  const bare = (text: string) => text.replace(/^v(?=\d)/, '')
  const isHere = near !== null && (bare(near) === bare(version) || !/^v?\d[\w.+-]*$/.test(version))
  const other = isHere ? 'indexed' : otherStatus(version, versions)
  const status = versions.length === 0 ? 'missing' : other
  const gap = mine.find((it) => status === 'indexed' && it.version === near)?.incomplete
  const incomplete = gap ? { incomplete: gap } : {}
  return { name, package: place, version, file, status, indexed: versions, ...incomplete }
}

function versionsOf({ registry, name }: Dependency, indexed: readonly LibraryVersion[]) {
  const packageName = { registry, name, version: null }
  const [place, library] = [packageKey(packageName), packageLibrary(packageName)]
  return indexed.filter(
    ({ library: other, source }) =>
      source.package === place || (source.package === undefined && other.toLowerCase() === library),
  )
}

/** Returns `newer` if every indexed release is newer than the project's version. */
function otherStatus(version: string, versions: readonly string[]): 'newer' | 'behind' {
  const target = parseRelease(version)
  const releases = versions.flatMap((it) => (isDateVersion(it) ? [] : (parseRelease(it) ?? [])))
  const isNewer = (it: Release) => target !== null && compareReleases(it, target) > 0
  return releases.length > 0 && releases.every(isNewer) ? 'newer' : 'behind'
}

async function addDependency(context: Context, state: State, choosing: Choosing): Promise<number> {
  const { terminal } = context
  const { config } = choosing
  const choice = await choiceOf(context, state, choosing)
  const { reach = config.reach, version = state.version } = choice
  const library = packageLibrary(parsePackage(state.package)!)
  terminal.note('plain', `${library}: ${choice.how}`)
  await using og = await context.openOg({ ...config, reach }, { needsBucket: true })
  const indexed = await og.list()
  const label = labelToKeep(indexed, { library, ...choice })
  const other = versionsFromOtherSources(indexed, { library, source: choice.source }).find(
    (it) => it.source.package !== undefined,
  )
  if (other !== undefined) {
    throw new OgError(`The name "${library}" is already used by ${other.source.package}`, {
      hint: `og add ${state.package} --as NAME`,
    })
  }
  using progress = showProgress(terminal, { label: library })
  const handover = openHandover(context, { atOnce: choosing.detach })
  const added = og.add({
    library,
    version,
    source: choice.source,
    label,
    incomplete: choice.incomplete,
    lockTimeoutMs: 600_000,
    onProgress(now) {
      progress.report(now)
      handover.report(now, library)
    },
    signal: handover.signal,
  })
  const result = await added.catch((error: unknown) => {
    if (!handover.isLeft()) throw error
    return null
  })
  progress[Symbol.dispose]()
  if (result === null) {
    choosing.left.add(library)
    return 0
  }
  for (const line of renderSummary(result).trimEnd().split('\n')) terminal.note('plain', line)
  return result.incomplete === null ? 0 : 1
}

async function printStates(context: Context, states: State[], json: boolean): Promise<number> {
  const others = states.filter(({ status }) => status !== 'indexed')
  await print(context, json ? states : others, json)
  if (others.length === 0) return 0
  context.terminal.note('hint', 'og init --all indexes the versions that the project uses')
  return 1
}

async function print({ terminal }: Context, states: State[], json: boolean): Promise<void> {
  if (json) return await terminal.write(jsonText(states))
  if (states.length === 0) return
  const isLookedUp = states.some((it) => (it.found ?? it.problem) !== undefined)
  const rows = states.map(({ version, status, indexed, file, ...it }) => [
    it.package,
    version,
    indexedText({ status, indexed, ...it }),
    file,
    ...(isLookedUp ? [it.found ?? it.problem ?? ''] : []),
  ])
  const head = ['PACKAGE', 'VERSION', 'INDEXED', 'FROM', ...(isLookedUp ? ['FOUND'] : [])]
  await terminal.write(renderTable([head, ...rows], terminal.width()))
}

function indexedText({ status, indexed, incomplete }: Omit<State, 'version' | 'file'>): string {
  if (status === 'behind' || status === 'newer') return `${status}: ${indexed.join(', ')}`
  return incomplete === undefined ? status : `incomplete: ${incomplete}`
}

/** Returns `com.google.code.gson:gson` for `gson`, unless several dependencies match. */
function wholeName(text: string, dependencies: readonly Dependency[]): string {
  const names = new Set(dependencies.map(({ name }) => name))
  const tails = [...names].filter((name) => /[/:]$/.test(name.slice(0, -text.length)))
  const [tail = text, ...others] = tails.filter((name) => name.endsWith(text))
  return names.has(text) || others.length > 0 ? text : tail
}

function nothingToAdd(dependencies: readonly Dependency[]): string {
  return dependencies.length > 0
    ? 'This project depends on packages for building and testing only; --dev names them.'
    : 'No lock file or manifest that og reads names a direct dependency of this project.'
}

function notAsked(name: string, chosen: readonly Dependency[]): OgError {
  return new OgError(`Cannot index "${name}": the project does not depend on it`, {
    hint:
      chosen.length > 0
        ? `it asks for ${chosen
            .map((it) => it.name)
            .slice(0, 20)
            .join(', ')}`
        : 'no lock file or manifest is here',
  })
}
