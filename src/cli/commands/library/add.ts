import { loadConfig } from '../../../config/load.ts'
import type { Config } from '../../../config/config.ts'
import { userHome, userPaths } from '../../../config/paths.ts'
import { add as addOperation, type AddContext } from '../../../operation/add/add.ts'
import type { AddInput } from '../../../operation/add/add-fields.ts'
import { nameOrPath } from '../../../operation/add/choose-source.ts'
import { OgError, messageOf } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import { printNotes } from '../../answer/notes.ts'
import { renderPlan, renderSummary } from '../../answer/summary.ts'
import { command, option, type OptionValues } from '../../command.ts'
import type { Context } from '../../context.ts'
import { fieldOptions, publishOptionForms, languageChoices } from '../../operation-options.ts'
import { showProgress, type ProgressLine } from '../../progress.ts'
import { looksLikePack } from '../../../operation/pack.ts'
import { addPack, addPacks, installTrustedPack, type AddPackOptions } from '../registry/add-pack.ts'
import { addDetached, openHandover } from './jobs.ts'
import { resume } from '../../../operation/add/update.ts'
import { outcomePrinter, printOutcomes } from './update.ts'
import { looksLikeSource } from '../../../source/source-name.ts'
import { splitVersion } from '../../../version/package-name.ts'
import { registryReadingOptions } from '../registry/registry.ts'

const fields = fieldOptions(addOperation.input, {
  source: { short: 's', placeholder: 'SOURCE' },
  as: { placeholder: 'NAME' },
  version: { short: 'v', placeholder: 'VERSION', suggest: 'version' },
  docs_path: { short: 'd', placeholder: 'DOCS_PATH' },
  api: { placeholder: 'WHAT' },
  force: {},
  ...publishOptionForms,
  base_url: { placeholder: 'URL' },
  filter_keyword: { short: 'f', placeholder: 'WORD' },
  exclude: { placeholder: 'WORD' },
  language: { placeholder: 'LANGUAGE', choices: languageChoices },
  sources_file: { placeholder: 'PATH' },
  below: { placeholder: 'PATH' },
  follow_links: {},
  only_page: {},
  trim_query_params: {},
  dry_run: {},
})

const addOptions = {
  ...fields.options,
  detach: option.flag('return when it can be searched and continue in the background (og jobs)'),
  resume: option.flag('embed the remaining chunks of earlier runs without fetching'),
  yes: option.flag('replace another source without asking; does not trust project sources', {
    short: 'y',
  }),
  from: option.text('WHAT', 'pack: only packs of a registry; source: no packs', {
    choices: ['pack', 'source'],
  }),
  trust: option.flag('add an unsigned pack'),
  json: option.flag('print the summary as a JSON object'),
}

export const add = command({
  name: 'add',
  summary: addOperation.summary,
  positionals: {
    library: { doc: addOperation.input.library.doc, optional: true, suggest: 'library' },
    packs: { doc: 'more packs, if LIBRARY is a pack', optional: true, variadic: true },
  },
  options: addOptions,
  brief: [
    ...(['source', 'as', 'version', 'docs-path', 'api', 'language', 'dry-run'] as const),
    ...(['detach', 'resume', 'yes', 'trust', 'json'] as const),
  ],
  async run(context, { library, packs, resume, detach, ...options }) {
    if (resume) return await resumeAdds(context, { library, detach, ...options })
    if (library === null || library.trim() === '') {
      throw new OgError('Missing LIBRARY of "og add"', { hint: 'see "og add --help"' })
    }
    if (packs.length > 0) return await addPacks(context, [library, ...packs], options)
    if (looksLikePack(library)) return await addPack(context, library, options)
    const config = await loadConfig(context.env)
    const listed = await addFromRegistry(context, library, options)
    const input = { library, ...fields.input(options) }
    const choosing = choosingContext(context, config)
    const name = await nameOrPath(choosing, library, { ...input, isListed: listed !== null })
    if (listed !== null) return listed
    const { yes, json } = options
    const adding = { choosing, config, detach, yes, json }
    return await addSource(context, { ...input, library: name }, adding)
  },
})

type Choosing = Pick<AddContext, 'config' | 'surroundings' | 'dialog' | 'signal'>

function choosingContext({ env, terminal, interruption }: Context, config: Config): Choosing {
  const surroundings = { env, cwd: process.cwd(), home: userHome(env) }
  return { config, surroundings, dialog: terminal, signal: interruption() }
}

type AddOptions = {
  choosing: Choosing
  config: Config
  detach: boolean
  yes: boolean
  json: boolean
}

async function addSource(
  context: Context,
  input: AddInput,
  { choosing, config, detach, yes, json }: AddOptions,
): Promise<number> {
  const { terminal } = context
  let progress: ProgressLine | null = null
  let jobCode = 0
  const handover = openHandover(context, { atOnce: false })
  let library = input.library
  let latest: string | null = null
  const adding: AddContext = {
    ...choosing,
    signal: handover.signal,
    openOg: (reach) => context.openOg({ ...config, reach }, { needsBucket: true }),
    replacesUnasked: yes,
    onNote(note) {
      progress?.[Symbol.dispose]()
      // The background job prints this note itself.
      if (!detach || note.kind !== 'source-chosen') printNotes(terminal, [note])
    },
    async onPlan({ library: name, input }) {
      library = name
      if (detach) jobCode = await addDetached(context, input, { name, options: ['--yes'], json })
      else progress = showProgress(terminal, { label: name })
      return !detach
    },
    onProgress(now, library) {
      progress?.report(now, library)
      latest = now.version
      handover.report(now, library)
    },
  }
  const answer = await addOperation
    .run(adding, input)
    .catch((error: unknown) => {
      if (!handover.isLeft()) throw error
      return null
    })
    .finally(() => progress?.[Symbol.dispose]())
  if (answer === null) {
    return await addDetached(context, { library, version: latest }, { options: ['--resume'], json })
  }
  const { value, notes } = answer
  if (notes.some(({ kind }) => kind === 'source-saved')) {
    terminal.note('hint', 'to keep no list of sources: og config set sources.auto_add_local false')
  }
  if (value.kind === 'stopped') return value.isDeclined ? 1 : jobCode
  const text = value.kind === 'planned' ? renderPlan(value.plan) : renderSummary(value.result)
  await terminal.write(json ? jsonText(addOperation.json(answer)) : text)
  if (value.kind === 'planned') return 0
  const { incomplete, missingHost } = value.result
  // The package itself is complete. "og update" reads its repository later.
  return incomplete === null || missingHost !== undefined ? 0 : 1
}

type AddValues = OptionValues<typeof addOptions>

type ResumeOptions = Pick<AddValues, 'version' | 'source' | 'detach' | 'json' | 'lock-timeout'> & {
  library: string | null
}

async function resumeAdds(context: Context, options: ResumeOptions): Promise<number> {
  const { library, version, source, detach, json } = options
  if (source !== null) {
    throw new OgError('--resume cannot be used with --source: nothing is fetched', {
      hint: 'omit --resume to read the source again and embed the missing chunks too',
    })
  }
  const { terminal, env } = context
  const input = { library, version, lock_timeout: options['lock-timeout'] }
  if (detach) return await addDetached(context, input, { options: ['--resume'], json })
  await using og = await context.openOg(await loadConfig(env), { needsBucket: true })
  using progress = showProgress(terminal, { label: library ?? 'resume' })
  const answer = await resume.run(
    {
      og,
      onOutcome: outcomePrinter(terminal, json),
      onProgress: progress.report,
      signal: context.interruption(),
    },
    input,
  )
  progress[Symbol.dispose]()
  if (!json && answer.value.length === 0) {
    terminal.note('plain', `Nothing is incomplete${library === null ? '' : ` of ${library}`}.`)
    return 0
  }
  const result = json ? resume.json(answer) : null
  return await printOutcomes(context, answer.value, { json: result, all: library === null })
}

type AddListedOptions = AddPackOptions &
  Pick<AddValues, 'source' | 'version' | 'from' | 'docs-path' | 'dry-run'>

export async function addFromRegistry(
  context: Context,
  name: string,
  options: AddListedOptions,
): Promise<number | null> {
  const { env, terminal } = context
  const { from } = options
  if (from !== null && !['pack', 'source'].includes(from)) {
    throw new OgError(`--from is pack or source, not "${from}"`)
  }
  const isNamed =
    options.source === null &&
    options['docs-path'].length === 0 &&
    !looksLikeSource(name) &&
    !options['dry-run']
  if (from === 'source' || !isNamed) return null
  const { readRegistries } = await import('../../../library/registry/known-registries.ts')
  const registries = await readRegistries(userPaths(env).lists())
  if (registries.length === 0 && from === null) return null
  const { library, version } = splitVersion({ library: name, version: options.version })
  const { choosePackFromRegistries } = await import('../../../library/registry/read-registry.ts')
  const listed = await choosePackFromRegistries(
    registries,
    { library, version },
    {
      ...(await registryReadingOptions(context)),
      onProblem: (error) => terminal.note('warning', messageOf(error)),
    },
  )
  if (listed === null) {
    if (from === null) return null
    throw new OgError(`No registry has a pack of "${library}"${version ? ` ${version}` : ''}`, {
      hint: 'og registry search TEXT; --from source builds it',
    })
  }
  const { pack, registry, place } = listed
  if (pack.yanked) {
    terminal.note('warning', `${library} ${version} was withdrawn by ${registry.name}`)
  }
  terminal.note('plain', `${pack.library} ${pack.version}: pack of ${registry.name}`)
  terminal.note('hint', 'to build it here instead: --from source')
  const choice = { path: place, sha256: pack.manifest, as: options.as ?? library }
  return await installTrustedPack(context, await loadConfig(env), { ...options, ...choice })
}
