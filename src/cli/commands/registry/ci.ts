import { dirname, resolve } from 'node:path'
import { noteError } from '../../answer/notes.ts'
import type { Config } from '../../../config/config.ts'
import { embedderRecipe } from '../../../config/embedders.ts'
import { loadConfig } from '../../../config/load.ts'
import { expandPath } from '../../../config/paths.ts'
import type { BuildList, PackOutcome } from '../../../library/ci/build-list.ts'
import type { PackSpec } from '../../../library/ci/pack-list.ts'
import type { MinisignSecret } from '../../../platform/minisign.ts'
import { messageOf, OgError } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import { formatCount } from '../../../platform/text/count.ts'
import { isRemoteStore } from '../../../store/remote/address.ts'
import { renderTable } from '../../screen/layout.ts'
import { ownLaunchCommand } from '../../clients/client.ts'
import { command, option, type OptionValues } from '../../command.ts'
import type { Context } from '../../context.ts'
import { jsonOption } from '../../operation-options.ts'
import { expiryDaysOption, keepPacksOption, lowestSerialOption, readSecretKey } from './registry.ts'

const buildOptions = {
  file: option.text('-f FILE', 'list of libraries (default: packs.yaml)'),
  output: option.text('-o DIR', 'folder of the registry (default: packs)'),
  store: option.flag('publish to the store instead of a registry'),
  key: option.text('FILE', 'secret key that signs the index'),
  days: expiryDaysOption,
  keep: keepPacksOption,
  serial: lowestSerialOption,
  published: option.text(
    'REGISTRY',
    'address or folder at which DIR is published; the build starts from it',
  ),
  'no-index': option.flag(
    'write no index; for jobs that share a list and run "og registry build" at the end',
  ),
  shard: option.text('I/N', 'build only the share of job I of N'),
  jobs: option.whole('N', 'number of parallel builds', { min: 1, max: 256 }),
  'time-limit': option.whole('SECONDS', 'time limit of each build', {
    min: 1,
    max: 604_800,
    default: 3600,
  }),
  memory: option.whole('MB', 'memory limit of each build', {
    min: 100,
    max: 1_000_000,
    default: 4000,
  }),
  summary: option.text('FILE', 'write a Markdown table of the results to this file'),
  junit: option.text('FILE', 'write a report in JUnit XML to this file'),
  json: jsonOption,
}

const build = command({
  name: 'ci build',
  summary: 'build a list of library versions, and publish the changed ones that pass the checks',
  options: buildOptions,
  async run(context, options) {
    const { env, terminal } = context
    const file = resolve(expandPath(options.file ?? 'packs.yaml', env))
    const wishes = await packSpecsOf(file, options.shard)
    const config = await loadConfig(env)
    const open = options.store ? openStore : openRegistry
    await using place = await open(context, config, options)
    const outcomes = await buildPacks(context, place, { ...options, file, wishes })
    // With --shard, all libraries of this job may fail while other jobs succeed.
    const isNothing =
      options.shard === null &&
      outcomes.length > 0 &&
      outcomes.every(({ error }) => error !== null) &&
      (await place.isEmpty())
    const serial = isNothing ? null : await place.end()
    const { markdownSummary, junitSummary, summaryRow, summaryLine } = await import(
      '../../../library/ci/build-list.ts'
    )
    const { summary, junit } = options
    if (summary !== null) await writeReport(summary, markdownSummary(outcomes, place.what), context)
    if (junit !== null) await writeReport(junit, junitSummary(outcomes), context)
    if (options.json) {
      const results = outcomes.map((outcome) => outcomeJson(outcome, place.what))
      await terminal.write(jsonText({ serial, results }))
    } else if (outcomes.length > 0) {
      const head = ['LIBRARY', 'VERSION', 'RESULT', 'PAGES', 'CHUNKS', 'HEALTH', 'HITS']
      const rows = [[...head, place.what.toUpperCase(), 'TIME'], ...outcomes.map(summaryRow)]
      await terminal.write(renderTable(rows, terminal.width()))
    }
    terminal.note('plain', `${summaryLine(outcomes)}${serial === null ? '' : `; serial ${serial}`}`)
    if (isNothing) return 2
    return outcomes.some(({ error }) => error !== null) ? 1 : 0
  },
})

async function packSpecsOf(file: string, shard: string | null): Promise<PackSpec[]> {
  const { readTextFile } = await import('../../../platform/file/read-file.ts')
  const { parsePackList } = await import('../../../library/ci/pack-list.ts')
  const { isInShard, parseShard } = await import('../../../library/ci/build-list.ts')
  const text = await readTextFile(file, { limitMb: 4 }).catch((cause: Error) => {
    throw new OgError(`Cannot read "${file}": ${messageOf(cause)}`, {
      hint: 'give a list of packs with --file',
      cause,
    })
  })
  const wishes = await parsePackList(text, file)
  if (shard === null) return wishes
  const share = parseShard(shard)
  return wishes.filter(({ library, version }) => isInShard(`${library}@${version ?? ''}`, share))
}

type Place = AsyncDisposable & {
  what: 'pack' | 'state'
  build: BuildList['build']
  isEmpty(): Promise<boolean>
  end(): Promise<number | null>
}

type BuildOptions = OptionValues<typeof buildOptions>

/** Opens a registry folder. Checks that the index is writable before the first build. */
async function openRegistry(
  context: Context,
  config: Config,
  { output, key, days, keep, serial, published, 'no-index': isLeft }: BuildOptions,
): Promise<Place> {
  const { env } = context
  if (isRemoteStore(output ?? '')) {
    throw new OgError(`Cannot create registry "${output}": it is not a folder`, {
      hint: '--store publishes to the store in OG_DB_PATH',
    })
  }
  const registry = resolve(expandPath(output ?? 'packs', env))
  const { mkdir } = await import('node:fs/promises')
  const { buildRegistry, readPacks } = await import('../../../library/registry/build-registry.ts')
  const { buildPack } = await import('../../../library/ci/build-pack.ts')
  const { publishPack } = await import('../../../library/ci/build-pack.ts')
  const secret = key === null ? null : await readSecretKey(expandPath(key, env))
  await mkdir(registry, { recursive: true }).catch((cause: Error) => {
    throw new OgError(`Cannot create registry "${registry}": ${messageOf(cause)}`, { cause })
  })
  if (published) await seed(context, registry, { published, secret })
  const end = async () =>
    isLeft ? null : (await buildRegistry(registry, { secret, days, yank: [], keep, serial })).serial
  const packs = await readPacks(registry)
  // The previous run may have been killed after publishing packs and before writing the index.
  if (packs.length > 0) await end()
  const isMadeAlike = await recipeMatcher(config)
  return {
    what: 'pack',
    end,
    isEmpty: async () => (await readPacks(registry)).length === 0,
    async [Symbol.asyncDispose]() {},
    async build(wish, building, figures) {
      const packing = { ...building, registry, packs, isMadeAlike }
      const from = await buildPack(wish, packing, figures)
      if (from === null) return null
      return publishPack(registry, { from, library: wish.library, version: figures.version! })
    },
  }
}

/** Copies the published packs into the folder, so that no library is lost with the cache. */
async function seed(
  context: Context,
  registry: string,
  { published, secret }: { published: string; secret: MinisignSecret | null },
): Promise<void> {
  const { env, terminal } = context
  const { isRemoteAddress } = await import('../../../library/pack/packed-source.ts')
  const { publicKeyText } = await import('../../../platform/minisign.ts')
  const { readPublishedRegistry } = await import('../../../library/registry/published.ts')
  const { seedRegistry } = await import('../../../library/registry/published.ts')
  const url = isRemoteAddress(published) ? published : resolve(expandPath(published, env))
  const key = secret && publicKeyText(secret).split('\n')[1]!
  const there = await readPublishedRegistry({ url, key }, { signal: context.interruption() })
  if (there === null) {
    terminal.note('warning', `nothing is published at ${url} yet: it has no index.json`)
    return
  }
  const fetched = await seedRegistry(registry, there)
  const { serial, packs } = there.index
  terminal.note(
    'plain',
    `${url}: serial ${serial}, ${formatCount(packs.length, 'pack')}, ` + `${fetched} fetched`,
  )
}

async function openStore(
  context: Context,
  config: Config,
  { output, key, keep, serial, published, 'no-index': isLeft }: BuildOptions,
): Promise<Place> {
  const odd = Object.entries({
    output,
    key,
    keep,
    serial,
    published,
    'no-index': isLeft || null,
  }).find(([, value]) => value !== null)?.[0]
  if (odd !== undefined) {
    throw new OgError(`Cannot use --${odd} with --store: a store has no index of packs`, {
      hint: 'OG_DB_PATH or the setting db_path names the store',
    })
  }
  const { buildState } = await import('../../../library/ci/build-pack.ts')
  const og = await context.openOg(config, { needsBucket: true })
  const { dbPath: store } = await og.places()
  const signal = context.interruption()
  const isMadeAlike = await recipeMatcher(config)
  return {
    what: 'state',
    end: async () => null,
    isEmpty: async () => (await og.list()).length === 0,
    [Symbol.asyncDispose]: () => og[Symbol.asyncDispose](),
    build: (wish, building, figures) =>
      buildState(wish, { ...building, store, isMadeAlike, signal }, figures),
  }
}

async function recipeMatcher(config: Config) {
  const { chunkingOf, isBuiltTheSame } = await import('../../../library/recipe.ts')
  return (made: Parameters<typeof isBuiltTheSame>[0]) =>
    isBuiltTheSame(made, chunkingOf(config.embeddings), embedderRecipe(config))
}

async function buildPacks(
  context: Context,
  { build }: Place,
  building: BuildOptions & { file: string; wishes: readonly PackSpec[] },
): Promise<PackOutcome[]> {
  const { env, terminal } = context
  const { file, wishes, memory } = building
  const { buildList } = await import('../../../library/ci/build-list.ts')
  const { command: program, args } = ownLaunchCommand([])
  return buildList(wishes, {
    build,
    self: [program, ...args],
    env,
    cwd: dirname(file),
    jobs: building.jobs ?? (await defaultJobs(memory)),
    timeMs: building['time-limit'] * 1000,
    memoryBytes: memory * 1e6,
    onOutcome({ library, version, wishedVersion, result, seconds, error, notes }) {
      const name = `${library} ${version ?? wishedVersion ?? ''}`.trim()
      if (error === null) terminal.note('plain', `${name}: ${result} (${seconds.toFixed(1)} s)`)
      else noteError(terminal, error, name)
      for (const note of notes) terminal.note('warning', `${name}: ${note}`)
    },
    signal: context.interruption(),
  })
}

/** Returns one job per core, unless memory limits the number. */
async function defaultJobs(memoryMb: number): Promise<number> {
  const { availableParallelism, totalmem } = await import('node:os')
  const byMemory = Math.floor(totalmem() / (memoryMb * 1e6))
  return Math.max(1, Math.min(availableParallelism(), byMemory))
}

async function writeReport(path: string, text: string, { env }: Context): Promise<void> {
  const { writeFile } = await import('node:fs/promises')
  await writeFile(expandPath(path, env), text).catch((cause: Error) => {
    throw new OgError(`Cannot write "${path}": ${messageOf(cause)}`, { cause })
  })
}

function outcomeJson({ error, wishedVersion, path, ...outcome }: PackOutcome, what: Place['what']) {
  const { library, version, result, before: _, notes, ...figures } = outcome
  return {
    library,
    version,
    asked: wishedVersion,
    result,
    [what]: path,
    ...figures,
    error: error?.message ?? null,
    hint: error?.hint ?? null,
    notes,
  }
}

export const ciCommands = [build]
