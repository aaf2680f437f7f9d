import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../../config/config.ts'
import type { Environment } from '../../../config/env.ts'
import { expandPath, userHome } from '../../../config/paths.ts'
import { sourceNames } from '../../../library/sources/source-list.ts'
import { OgError } from '../../../platform/error.ts'
import type { Reach } from '../../../platform/reach.ts'
import { shellWord } from '../../../platform/text/shell-word.ts'
import { chooseSource } from '../../../source/choice/chosen.ts'
import type { Choice } from '../../../source/choice/choice.ts'
import { detectSource, type DetectOptions } from '../../../source/detect.ts'
import { looksLikeSource, nameOfSource } from '../../../source/source-name.ts'
import {
  apiChoices,
  type ApiChoice,
  type SitemapFilter,
  type Source,
} from '../../../store/source.ts'
import { withVersionInName } from '../../../version/version-in-name.ts'
import type { Context } from '../../context.ts'
import { listedSource } from '../../../operation/add/listed-source.ts'

type Named = { source: string | null; as: string | null; version: string | null }

/**
 * Splits the argument into library name, version and source. If the argument is a source, the
 * library is named after it.
 */
export function namedBySource<Options extends Named>(
  typed: string,
  options: Options,
  env: Environment,
): Options & { library: string } {
  // With --source, the argument is always a name.
  if (options.source !== null || !looksLikeSource(typed)) {
    if (options.as === null) {
      return { ...options, ...withVersionInName({ library: typed, version: options.version }) }
    }
    throw new OgError(`--as names the library of a source, and "${typed}" is a name already`, {
      hint: `og add ${shellWord(options.as)} --source SOURCE`,
    })
  }
  const places = { docsPaths: [], cwd: process.cwd(), home: userHome(env) }
  const name = options.as ?? nameOfSource(detectSource(typed, places).source)
  if (name !== null) return { ...options, library: name, source: typed }
  throw new OgError(`Cannot tell what the library of "${typed}" is called`, {
    hint: `og add ${shellWord(typed)} --as NAME`,
  })
}

type Naming = {
  source: string | null
  'sources-file': string | null
  config: Config
  /** The exit code of adding the library from a registry; null if no registry has it. */
  listed: number | null
}

/**
 * Returns the path `./NAME` if the current folder contains a file or folder of that name. A library
 * of a registry or source list takes precedence, because `og add react` must mean the same in every
 * folder. Agents can only name libraries.
 */
export async function nameOrPath(
  { env, terminal }: Context,
  typed: string,
  { source, config, listed, ...options }: Naming,
): Promise<string> {
  const isName = source === null && config.reach === null && !looksLikeSource(typed)
  if (!isName || !existsSync(resolve(process.cwd(), typed))) return typed
  const path = shellWord(`./${typed}`)
  const file = options['sources-file']
  const named = file === null ? config.sources.filePath : expandPath(file, env)
  const places = { named, isTyped: file !== null, cwd: process.cwd(), home: userHome(env) }
  const isSame = (name: string) => name.toLowerCase() === typed.toLowerCase()
  if (listed === null && !(await sourceNames(places)).some(isSame)) return `./${typed}`
  const what = `"${typed}" is taken for the library of that name`
  terminal.note('hint', `${what}; og add ${path} reads the one here`)
  return typed
}

type Choosing = {
  library: string
  config: Config
  options: {
    source: string | null
    version: string | null
    'docs-path': readonly string[]
    'base-url': string | null
    'sources-file': string | null
    'filter-keyword': readonly string[]
    exclude: readonly string[]
    language: readonly string[]
    'trim-query-params': boolean
    below: string | null
    'follow-links': boolean
    'only-page': boolean
    api: string | null
  }
}

/** `meant` is the name in the source list, if the user's spelling differs from it. */
type Chosen = Choice & { meant?: string }

/**
 * The source of --source, else the one of a source list, with the paths and filters of the options.
 */
export async function chosenSource(context: Context, choosing: Choosing): Promise<Chosen> {
  const api = apiChoiceOf(choosing.options.api)
  const chosen = await chosenGuides(context, choosing)
  return api === null ? chosen : { ...chosen, source: { ...chosen.source, api } }
}

function apiChoiceOf(typed: string | null): ApiChoice | null {
  const choice = apiChoices.find((one) => one === typed)
  if (typed === null || choice !== undefined) return choice ?? null
  throw new OgError(`--api ${JSON.stringify(typed)} is none of ${apiChoices.join(', ')}`)
}

async function chosenGuides(
  context: Context,
  { library, config, options }: Choosing,
): Promise<Chosen> {
  const { env, terminal } = context
  const [cwd, home] = [process.cwd(), userHome(env)]
  const docsPaths = [...options['docs-path']]
  const baseUrl = options['base-url']
  const filter = typedFilter(options)
  const { reach } = config
  const { version } = options
  const surroundings = { env, home, cwd }
  const choosing = { version, surroundings, reach, signal: context.interruption() }
  if (options.source !== null) {
    const detecting = { docsPaths, baseUrl, filter, cwd, home, reach }
    const typed = await typedSource(options.source, detecting)
    if (typed.kind === 'site' && options['only-page']) {
      return { source: { kind: 'web_page', url: typed.url }, how: null, rejected: [] }
    }
    if (typed.kind === 'site' && options['follow-links']) {
      return { source: typed, how: null, rejected: [] }
    }
    return chooseSource(typed, choosing)
  }
  const file = options['sources-file']
  const named = file === null ? config.sources.filePath : expandPath(file, env)
  const places = { named, isTyped: file !== null, cwd, home, reach }
  const listed = await listedSource(terminal, library, places)
  const source: Source = withTyped(listed.source, { docsPaths, baseUrl, filter })
  const meant = listed.library
  if (source.kind === 'package') return { ...(await chooseSource(source, choosing)), meant }
  return { source, how: null, rejected: [], meant }
}

async function typedSource(
  typed: string,
  { reach, ...detecting }: DetectOptions & { reach: Reach | null },
): Promise<Source> {
  if (reach === null) return detectSource(typed, detecting).source
  const { namedByAgent } = await import('../../../library/add/agent-source.ts')
  return namedByAgent(typed, { ...detecting, reach })
}

type Typed = { docsPaths: string[]; baseUrl: string | null; filter: Partial<SitemapFilter> }

function withTyped(source: Source, { docsPaths, baseUrl, filter }: Typed): Source {
  const { languages } = filter
  const spoken = languages ? { languages } : {}
  const paths = docsPaths.length > 0 ? { docsPaths } : {}
  const base = baseUrl === null ? {} : { baseUrl }
  if (source.kind === 'git_repo') return { ...source, ...paths, ...spoken }
  if (source.kind === 'archive') return { ...source, ...paths, ...base, ...spoken }
  if (source.kind === 'local_path') return { ...source, ...paths, ...base, ...spoken }
  const isWhole = source.kind === 'web_page' || source.kind === 'package'
  return isWhole ? source : { ...source, ...filter }
}

/** Contains only the filters that the user set, so that the source list supplies the others. */
function typedFilter(options: Choosing['options']): Partial<SitemapFilter> {
  const filter: Partial<SitemapFilter> = {}
  if (isGiven(options['filter-keyword'])) filter.filterKeywords = [...options['filter-keyword']]
  if (isGiven(options.exclude)) filter.exclude = [...options.exclude]
  if (isGiven(options.language)) filter.languages = [...options.language]
  if (options['trim-query-params']) filter.trimQueryParams = true
  if (options.below !== null) filter.below = options.below
  return filter
}

export function isGiven(value: string | boolean | readonly string[] | null): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}
