import { dirname, resolve } from 'node:path'
import { embedderRecipe } from '../../../config/embedders.ts'
import { loadConfig } from '../../../config/load.ts'
import { expandPath } from '../../../config/paths.ts'
import type { PackOutcome } from '../../../library/ci/build-list.ts'
import type { PackWish } from '../../../library/ci/pack-list.ts'
import type { PackManifest } from '../../../library/pack/pack-format.ts'
import { OgError } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import { renderTable } from '../../answer/table.ts'
import { ownLaunch } from '../../clients/snippet.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { jsonOption } from '../json.ts'
import { holdsDays, keepPacks, lowestSerial, secretKey } from './registry.ts'

const build = command({
  name: 'ci build',
  summary: 'build a list of packs, and publish what has changed and is good into a registry',
  details: [
    'FILE (YAML) names libraries and their versions: "libraries: {kettle: {source: URL, ' +
      'versions: [1.0, latest]}}". A library has these fields, all optional: versions, as "og ' +
      'add -v" takes them; source, base_url, docs_paths, languages, filter_keywords, exclude and ' +
      'below, as the options of "og add" (without source, the lists of sources are asked); ' +
      'vectors, as "og pack --vectors"; min_health, a percentage, as "og add --min-health"; ' +
      'questions, a file for "og eval" beside FILE, and min_hits, the percentage of them that ' +
      'the first five hits have to answer (80). vectors, min_health and min_hits may stand above ' +
      '"libraries" too, for all; and "bundled: true" adds every library that og has a source of.',
    'Each version is built in a store and processes of its own, several side by side. The newest ' +
      'pack in DIR is where it begins: what has not changed is neither fetched nor embedded, and ' +
      'not published again. What is new is checked, put into DIR under a new name, and then the ' +
      'index of DIR is written. One that fails stops no other, and what was published of it ' +
      'stays. What was killed leaves nothing half done: run it again.',
    'The exit code is 1 where a build has failed, and 2 where nothing could be built at all.',
  ],
  positionals: {},
  options: {
    file: {
      type: 'text', short: 'f', placeholder: 'FILE', doc: 'the list; packs.yaml unless given',
    },
    output: {
      type: 'text', short: 'o', placeholder: 'DIR', doc: 'the registry; packs unless given',
    },
    key: { type: 'text', placeholder: 'FILE', doc: 'secret key that signs the index' },
    days: holdsDays,
    keep: keepPacks,
    serial: lowestSerial,
    'no-index': {
      type: 'switch', doc: 'leave the index to "og registry build", as jobs that share a list do',
    },
    shard: {
      type: 'text', placeholder: 'I/N', doc: 'build the share of the I-th of N jobs alone',
    },
    jobs: { type: 'whole', placeholder: 'N', doc: 'builds side by side', min: 1, max: 256 },
    'time-limit': {
      type: 'whole', placeholder: 'SECONDS', doc: 'for each build', min: 1, max: 604_800,
      default: 3600,
    },
    memory: {
      type: 'whole', placeholder: 'MB', doc: 'for each build', min: 100, max: 1_000_000,
      default: 4000,
    },
    summary: { type: 'text', placeholder: 'FILE', doc: 'write a table as Markdown' },
    junit: { type: 'text', placeholder: 'FILE', doc: "write a report as JUnit's XML" },
    json: jsonOption,
  },
  examples: [
    'og ci build -f packs.yaml -o public --key og.key --summary summary.md',
    'og ci build --shard 2/4 --no-index --junit junit.xml',
  ],
  async run(context, options) {
    const { env, terminal } = context
    const file = resolve(expandPath(options.file ?? 'packs.yaml', env))
    const registry = resolve(expandPath(options.output ?? 'packs', env))
    const wishes = await wishesOf(file, options.shard)
    const index = await openIndex(registry, options, context)
    const outcomes = await built(context, { ...options, file, registry, wishes })
    const serial = await index.write()
    const { markdownSummary, junitSummary, summaryRow, summaryLine } =
      await import('../../../library/ci/summary.ts')
    if (options.summary !== null) await report(options.summary, markdownSummary(outcomes), context)
    if (options.junit !== null) await report(options.junit, junitSummary(outcomes), context)
    if (options.json) await terminal.write(jsonText({ serial, results: outcomes.map(outcomeJson) }))
    else if (outcomes.length > 0) {
      const head =
        ['LIBRARY', 'VERSION', 'RESULT', 'PAGES', 'CHUNKS', 'HEALTH', 'HITS', 'PACK', 'TIME']
      await terminal.write(renderTable([head, ...outcomes.map(summaryRow)], terminal.width()))
    }
    terminal.note('plain', `${summaryLine(outcomes)}${serial === null ? '' : `; serial ${serial}`}`)
    return outcomes.some(({ error }) => error !== null) ? 1 : 0
  },
})

async function wishesOf(file: string, shard: string | null): Promise<PackWish[]> {
  const { readTextFile } = await import('../../../platform/file/read-file.ts')
  const { parsePackList } = await import('../../../library/ci/pack-list.ts')
  const { isInShard, parseShard } = await import('../../../library/ci/shard.ts')
  const text = await readTextFile(file, { limitMb: 4 }).catch((cause: Error) => {
    throw new OgError(`Cannot read "${file}": ${cause.message}`, {
      hint: '--file names a list of packs', cause,
    })
  })
  const wishes = await parsePackList(text, file)
  if (shard === null) return wishes
  const share = parseShard(shard)
  return wishes.filter(({ library, version }) => isInShard(`${library}@${version ?? ''}`, share))
}

type Indexing = {
  key: string | null; days: number; keep: number | null; serial: number | null
  'no-index': boolean
}

/** Before anything is built it is known that the index can be written. */
async function openIndex(
  registry: string, { key, days, keep, serial, 'no-index': isLeft }: Indexing, { env }: Context,
): Promise<{ write(): Promise<number | null> }> {
  const { mkdir } = await import('node:fs/promises')
  const { buildRegistry, readPacks } =
    await import('../../../library/registry/build-registry.ts')
  const secret = key === null ? null : await secretKey(expandPath(key, env))
  await mkdir(registry, { recursive: true }).catch((cause: Error) => {
    throw new OgError(`Cannot make registry "${registry}": ${cause.message}`, { cause })
  })
  if (isLeft) return { write: async () => null }
  const write = async () =>
    (await buildRegistry(registry, { secret, days, yank: [], keep, serial })).serial
  // What an earlier run has published, and had no time to name.
  if ((await readPacks(registry)).length > 0) await write()
  return { write }
}

type Building = {
  file: string; registry: string; wishes: readonly PackWish[]
  jobs: number | null; 'time-limit': number; memory: number
}

async function built(context: Context, building: Building): Promise<PackOutcome[]> {
  const { env, terminal } = context
  const { file, registry, wishes, memory } = building
  const { buildList } = await import('../../../library/ci/build-list.ts')
  const { readPacks } = await import('../../../library/registry/build-registry.ts')
  const { isMadeAlike } = await import('../../../library/add/recipe.ts')
  const { parseChunker } = await import('../../../store/chunker.ts')
  const { chunkingOf } = await import('../../../open.ts')
  const config = await loadConfig(env)
  const { command: program, args } = ownLaunch([])
  return buildList(wishes, {
    registry,
    packs: await readPacks(registry),
    self: [program, ...args],
    env,
    cwd: dirname(file),
    jobs: building.jobs ?? await usualJobs(memory),
    timeMs: building['time-limit'] * 1000,
    memoryBytes: memory * 1e6,
    isMadeAlike: ({ chunker, ...manifest }: PackManifest) =>
      isMadeAlike({ ...manifest, chunker: parseChunker(chunker) }, chunkingOf(config),
        embedderRecipe(config)),
    onOutcome({ library, version, asked, result, seconds, error, notes }) {
      const name = `${library} ${version ?? asked ?? ''}`.trim()
      if (error === null) terminal.note('plain', `${name}: ${result} (${seconds.toFixed(1)} s)`)
      else terminal.note('error', `${name}: ${error.message}`)
      if (error?.hint) terminal.note('hint', error.hint)
      for (const note of notes) terminal.note('warning', `${name}: ${note}`)
    },
    signal: context.interruption(),
  })
}

/** As many as there are cores, and memory for. */
async function usualJobs(memoryMb: number): Promise<number> {
  const { availableParallelism, totalmem } = await import('node:os')
  const byMemory = Math.floor(totalmem() / (memoryMb * 1e6))
  return Math.max(1, Math.min(availableParallelism(), byMemory))
}

async function report(path: string, text: string, { env }: Context): Promise<void> {
  const { writeFile } = await import('node:fs/promises')
  await writeFile(expandPath(path, env), text).catch((cause: Error) => {
    throw new OgError(`Cannot write "${path}": ${cause.message}`, { cause })
  })
}

function outcomeJson({ error, asked, path, ...outcome }: PackOutcome) {
  const { library, version, result, before: _, notes, ...figures } = outcome
  return {
    library, version, asked, result, pack: path, ...figures,
    error: error?.message ?? null, hint: error?.hint ?? null, notes,
  }
}

export const ciCommands = [build]
