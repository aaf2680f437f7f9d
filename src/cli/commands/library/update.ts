import type { Config } from '../../../config/config.ts'
import { loadConfig } from '../../../config/load.ts'
import { userHome } from '../../../config/paths.ts'
import type { AddResult } from '../../../library/library.ts'
import {
  findSource,
  readSourcesFiles,
  type SourcesPlaces,
} from '../../../library/sources/source-list.ts'
import type { ChooseAgain, UpdateOutcome } from '../../../library/add/update.ts'
import { OgError } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import { detectSource } from '../../../source/detect.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { knownSource } from '../../../operation/add/listed-source.ts'
import { showProgress } from '../../progress.ts'
import type { Terminal } from '../../terminal.ts'
import { counted } from '../../../platform/text/counted.ts'
import { renderSummary } from '../../answer/summary.ts'
import { newerPacks } from '../registry/newer-pack.ts'
import { lockTimeout, minHealth as minHealthOption } from './publish-options.ts'

export const update = command({
  name: 'update',
  summary: 'bring indexed documentation up to date',
  details: [
    'Reads the source that a library was indexed from again, as far as it has changed: of a git ' +
      'repository nothing while the commit is the same, and then the changed files; of a folder ' +
      'the files of another size or date. Only changed chunks are embedded. What was imported ' +
      'as raw pages is read from the source that the lists of sources have for it.',
    'What came from a registry of packs that is still known ("og registry list") is brought to ' +
      'the newest pack of its version there; --source reads a source in its place.',
    'A version that is incomplete because a host did not answer is looked up again, as by the ' +
      'first "og add".',
    'A page that cannot be read keeps its old text and is reported. A source that has lost more ' +
      'than a fifth of its pages changes nothing unless --force is given. The exit code is 1 ' +
      'where some pages, or some of several libraries, failed.',
  ],
  positionals: { library: { doc: 'name of the library', optional: true, suggest: 'library' } },
  options: {
    all: { type: 'switch', doc: 'update every version of every library' },
    version: {
      type: 'text',
      short: 'v',
      placeholder: 'VERSION',
      doc: 'update this version only; without it all that are indexed',
      suggest: 'version',
    },
    source: {
      type: 'text',
      short: 's',
      placeholder: 'SOURCE',
      doc: 'read it from here from now on',
    },
    force: { type: 'switch', doc: 'publish although more than a fifth of the pages is lost' },
    'min-health': minHealthOption,
    yes: { type: 'switch', short: 'y', doc: 'accepted for openground; og never asks here' },
    'lock-timeout': lockTimeout,
    json: { type: 'switch', doc: 'print a JSON object' },
  },
  examples: ['og update fastapi', 'og update --all', 'og update fastapi -v latest --json'],
  async run(context, { library, version, source, all, force, json, ...options }) {
    checkForm({ library, version, source, all })
    const { terminal, env } = context
    const detecting = { docsPaths: [], cwd: process.cwd(), home: userHome(env) }
    const detected = source === null ? null : detectSource(source, detecting)
    const config = await loadConfig(env)
    await using og = await context.openOg(config, { needsBucket: true })
    const places = { named: config.sources.filePath, cwd: process.cwd(), home: userHome(env) }
    if (library !== null) await refuseUnknown(library, await og.list(), places)
    using progress = showProgress(terminal, { label: library ?? 'update' })
    const lockTimeoutMs = options['lock-timeout'] * 1000
    const minHealth = options['min-health']
    const signal = context.interruption()
    const newerPack = newerPacks(context, og, { minHealth, lockTimeoutMs, signal })
    const outcomes = await toldOutcomes(
      terminal,
      json,
      og.update({
        library,
        version,
        source: detected?.source ?? null,
        listed: (name) => knownSource(terminal, name, { ...places, reach: config.reach }),
        force,
        newerPack,
        chooseAgain: choosingAgain(context, config),
        minHealth,
        lockTimeoutMs,
        onProgress: progress.report,
        signal,
      }),
    )
    progress[Symbol.dispose]()
    return await report(context, outcomes, { json, all })
  },
})

/** Looks again for a source that was not read whole, as `og add` would. */
function choosingAgain({ env, interruption }: Context, { reach }: Config): ChooseAgain {
  const surroundings = { env, home: userHome(env), cwd: process.cwd() }
  return async (intended, version) => {
    const { chooseSource } = await import('../../../source/choice/chosen.ts')
    return chooseSource(intended, { version, surroundings, reach, signal: interruption() })
  }
}

type Form = { library: string | null; version: string | null; source: string | null; all: boolean }

function checkForm({ library, version, source, all }: Form): void {
  if (library === null && !all) {
    throw new OgError('Either provide a library name or use --all to update all libraries')
  }
  const other = library ?? (version === null ? null : '--version') ?? (source && '--source')
  if (all && other) throw new OgError(`--all cannot be used with ${other}`)
}

/** Of a library that a list knows, the hint is how to index it. */
async function refuseUnknown(
  library: string,
  indexed: readonly { library: string }[],
  places: SourcesPlaces,
): Promise<void> {
  const isSame = (name: string) => name.toLowerCase() === library.toLowerCase()
  if (indexed.some((it) => isSame(it.library))) return
  const entry = findSource((await readSourcesFiles(places)).files, library)
  if (entry === null) return
  throw new OgError(`Library "${library}" not found: it is not indexed`, {
    hint: `og add ${entry.name} indexes it, from ${entry.file.path}`,
  })
}

/** Collects all outcomes; each is printed as it comes, unless they are to be JSON. */
export async function toldOutcomes(
  terminal: Terminal,
  json: boolean,
  coming: AsyncIterable<UpdateOutcome>,
): Promise<UpdateOutcome[]> {
  const outcomes: UpdateOutcome[] = []
  for await (const outcome of coming) {
    outcomes.push(outcome)
    if (!json && outcome.result) await terminal.write(renderUpdated(outcome.result))
  }
  return outcomes
}

/** What was done to one of several library versions. */
export function renderUpdated(result: AddResult): string {
  const { library, version, status, pages, incomplete } = result
  if (status !== 'unchanged' || incomplete !== null) return renderSummary(result)
  return `${library} ${version}: unchanged (${counted(pages, 'page')})\n`
}

/**
 * Prints what is left to say at the end. Where one library version was meant, its error is thrown;
 * of several, each error is a line. @returns the exit code
 */
export async function report(
  { terminal }: Context,
  outcomes: readonly UpdateOutcome[],
  { json, all }: { json: boolean; all: boolean },
): Promise<number> {
  const failures = outcomes.filter((outcome) => outcome.error !== null)
  if (!all && outcomes.length === 1 && failures.length === 1) throw failures[0]!.error
  for (const { library, version, error } of failures) {
    terminal.note('error', `${library} ${version}: ${error.message}`)
    if (error.hint) terminal.note('hint', error.hint)
  }
  if (json) await terminal.write(jsonText(outcomesJson(outcomes)))
  else if (outcomes.length === 0) terminal.note('plain', 'No libraries found.')
  else if (outcomes.length > 1) await terminal.write(renderTotal(outcomes))
  const isWhole = outcomes.every(({ result }) => result?.incomplete === null)
  return isWhole ? 0 : 1
}

function outcomesJson(outcomes: readonly UpdateOutcome[]) {
  return {
    results: outcomes.flatMap(({ result }) => result ?? []),
    failures: outcomes.flatMap(({ library, version, error }) =>
      error === null ? [] : [{ library, version, error: error.message, hint: error.hint ?? null }],
    ),
  }
}

function renderTotal(outcomes: readonly UpdateOutcome[]): string {
  const changed = outcomes.filter(({ result }) => result && result.status !== 'unchanged').length
  const failed = outcomes.filter(({ error }) => error !== null).length
  const unchanged = outcomes.length - changed - failed
  return (
    `${outcomes.length} library versions: ${changed} updated, ${unchanged} unchanged, ` +
    `${failed} failed\n`
  )
}
