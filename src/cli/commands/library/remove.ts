import { userPaths } from '../../../config/paths.ts'
import { loadConfig } from '../../../config/load.ts'
import type { LibraryVersion } from '../../../library/library.ts'
import {
  remove as removeOperation,
  rollback as rollbackOperation,
} from '../../../operation/library.ts'
import { jsonText, snakeKeys } from '../../../platform/json.ts'
import { formatCount } from '../../../platform/text/count.ts'
import { command, type Command, option, type OptionValues } from '../../command.ts'
import { confirm } from '../../terminal.ts'
import {
  fieldOptions,
  jsonOption,
  lockOptionForms,
  lockTimeoutOption,
} from '../../operation-options.ts'
import { waitNotifier } from '../../progress.ts'
import type { FreeResult } from '../../../library/free.ts'
import type { Context } from '../../context.ts'
import { remoteBucketOf } from '../../../store/remote-bucket.ts'
import { formatBytes } from '../../../platform/file/space.ts'
import type { ClearableContent, Places } from '../../../library/clear.ts'

const fields = fieldOptions(removeOperation.input, {
  version: { short: 'v', placeholder: 'VERSION', suggest: 'version' },
  all: {},
  ...lockOptionForms,
})

export const remove = command({
  name: 'remove',
  aliases: ['rm'],
  summary: removeOperation.summary,
  positionals: { library: { doc: 'name of the library', suggest: 'library' } },
  options: {
    ...fields.options,
    yes: option.flag('do not ask', { short: 'y' }),
    json: option.flag('print the deleted versions as a JSON array'),
  },
  async run({ env, terminal, openOg }, { library, yes, json, ...options }) {
    await using og = await openOg(await loadConfig(env), { needsBucket: true })
    const context = {
      og,
      confirm: (doomed: readonly LibraryVersion[]) =>
        confirm(terminal, { what: `delete ${doomed.map(describeVersion).join(', ')}`, yes }),
      onWait: (library: string) => waitNotifier(terminal, library)(),
      onRemoved: (one: LibraryVersion) =>
        terminal.note('plain', `Deleted ${describeVersion(one)}.`),
      lists: userPaths(env).lists(),
      onForgotten: (library: string, path: string) =>
        terminal.note('plain', `Removed the source for '${library}' from ${path}`),
    }
    const answer = await removeOperation.run(context, { library, ...fields.input(options) })
    if (answer.value === null) return 1
    if (json) await terminal.write(jsonText(removeOperation.json(answer)))
    return 0
  },
})

function describeVersion({ library, version, pages, chunks }: LibraryVersion): string {
  return `${library} ${version} (${formatCount(pages, 'page')}, ${formatCount(chunks, 'chunk')})`
}

const options = {
  yes: option.flag('do not ask', { short: 'y' }),
  'lock-timeout': lockTimeoutOption,
  json: jsonOption,
} as const

type NukeTarget = { what: 'all' | 'raw data' | 'embeddings'; index: boolean; raw: boolean }

const nukes: readonly [name: string, summary: string, target: NukeTarget][] = [
  [
    'nuke all',
    'delete every library version and all raw pages',
    { what: 'all', index: true, raw: true },
  ],
  [
    'nuke raw_data',
    'delete all raw pages that og extracted',
    { what: 'raw data', index: false, raw: true },
  ],
  [
    'nuke embeddings',
    'delete every library version of the index',
    { what: 'embeddings', index: true, raw: false },
  ],
]

export const nukeCommands: readonly Command[] = nukes.map(([name, summary, target]) =>
  command({
    name,
    summary,
    options,
    run: (context, wish) => nuke(context, { ...wish, ...target }),
  }),
)

type NukeOptions = OptionValues<typeof options> & NukeTarget

async function nuke(context: Context, wish: NukeOptions): Promise<number> {
  const { terminal } = context
  await using og = await context.openOg(await loadConfig(context.env), { needsBucket: true })
  const places = await og.places()
  const { countClearable, clearIndex, clearRawPages } = await import('../../../library/clear.ts')
  const there = await countClearable(places)
  const lines = [
    ...(wish.index ? indexLines(there, places) : []),
    ...(wish.raw ? rawLines(there, places) : []),
  ]
  if (wish.raw && there.rawOthers > 0) {
    const others = `${formatCount(there.rawOthers, 'library version')} of raw data`
    terminal.note(
      'warning',
      `${others} in ${places.rawDataPath} were not created by og and are kept`,
    )
  }
  if (lines.length === 0) {
    const nothing = wish.what === 'all' ? 'data' : wish.what
    terminal.note('plain', `No ${nothing} found. Nothing to delete.`)
    if (wish.json) await terminal.write(jsonText({ deleted: [], in_use: 0 }))
    return 0
  }
  terminal.note('warning', 'This will permanently delete:')
  for (const line of lines) terminal.note('plain', `  - ${line}`)
  if (!(await confirm(terminal, { what: 'delete all of it', yes: wish.yes }))) return 1
  const waiting = {
    lockTimeoutMs: wish['lock-timeout'] * 1000,
    onWait: () => terminal.note('plain', 'waiting for another og that writes'),
  }
  const inUse = wish.index ? await clearIndex(places.dbPath, waiting) : 0
  if (wish.raw) await clearRawPages(places.rawDataPath)
  terminal.note('plain', `Deleted: ${lines.join('; ')}.`)
  if (wish.json) await terminal.write(jsonText({ deleted: lines, in_use: inUse }))
  if (inUse === 0) return 0
  const states = formatCount(inUse, 'state')
  terminal.note('warning', `${states} of libraries are still in use and stay until the next og add`)
  return 1
}

function indexLines(there: ClearableContent, { dbPath: folder }: Places): string[] {
  const dbPath = remoteBucketOf(folder)?.place ?? folder
  const { libraries, versions, chunks, isDamaged, generations, hasCache } = there
  if (isDamaged) return [`${formatCount(generations, 'state')} of libraries, damaged, in ${dbPath}`]
  const counts = [
    formatCount(libraries, 'library', 'libraries'),
    formatCount(versions, 'version'),
    formatCount(chunks, 'chunk'),
  ]
  if (versions > 0) return [`${counts.join(', ')} in ${dbPath}`]
  return hasCache ? [`the cache of embeddings in ${dbPath}`] : []
}

function rawLines({ rawFolders }: ClearableContent, { rawDataPath }: Places): string[] {
  if (rawFolders.length === 0) return []
  return [`raw pages of ${formatCount(rawFolders.length, 'library version')} in ${rawDataPath}`]
}

export const gc = command({
  name: 'gc',
  summary: 'delete unused data',
  options: {
    'dry-run': option.flag('print the unused data without deleting it'),
    json: jsonOption,
  },
  async run({ env, terminal, openOg }, { 'dry-run': isDry, json }) {
    await using og = await openOg(await loadConfig(env), { needsBucket: true })
    const all: FreeResult[] = []
    for await (const freed of og.free({ isDry })) all.push(freed)
    for (const { kind, inUse } of all) {
      const what = kind === 'embeddings' ? 'the cache of embeddings' : names[kind](inUse)
      if (inUse > 0) terminal.note('plain', `Still in use: ${what}`)
    }
    const bytes = all.reduce((sum, one) => sum + one.bytes, 0)
    const kinds = all.filter(({ count }) => count > 0)
    const lines = kinds.map(
      ({ kind, count, bytes: its }) => `  ${names[kind](count)}: ${formatBytes(its)}\n`,
    )
    const head = isDry ? 'Would free' : 'Freed'
    if (json) await terminal.write(jsonText({ dry_run: isDry, bytes, freed: all.map(snakeKeys) }))
    else if (kinds.length === 0) terminal.note('plain', 'Nothing to free.')
    else await terminal.write(`${head} ${formatBytes(bytes)}:\n${lines.join('')}`)
    return 0
  },
})

const names: Readonly<Record<FreeResult['kind'], (count: number) => string>> = {
  states: (count) => `${formatCount(count, 'unused state')}`,
  natives: (count) => `${formatCount(count, 'folder')} of natives of other versions of og`,
  embeddings: (count) => `${formatCount(count, 'unused cached embedding')}`,
}

const rollbackFields = fieldOptions(rollbackOperation.input, {
  version: { short: 'v', placeholder: 'VERSION', suggest: 'version' },
  ...lockOptionForms,
})

export const rollback = command({
  name: 'rollback',
  summary: rollbackOperation.summary,
  positionals: { library: { doc: 'name of the library', suggest: 'library' } },
  options: {
    ...rollbackFields.options,
    json: option.flag('print the restored version as a JSON object'),
  },
  async run({ env, terminal, openOg }, { library, json, ...options }) {
    await using og = await openOg(await loadConfig(env), { needsBucket: true })
    const onWait = (library: string) => waitNotifier(terminal, library)()
    const answer = await rollbackOperation.run(
      { og, onWait },
      { library, ...rollbackFields.input(options) },
    )
    const live = answer.value
    const when = `${live.indexedAt.slice(0, 19).replace('T', ' ')}Z`
    await terminal.write(
      json
        ? jsonText(rollbackOperation.json(answer))
        : `${live.library} ${live.version}: as indexed ${when} ` +
            `(${formatCount(live.pages, 'page')})\n`,
    )
    return 0
  },
})
