import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import { expandPath, userPaths, type Environment } from '../../config/paths.ts'
import { sourceNames, type SourcesPlaces } from '../../library/sources/source-list.ts'
import { OgError } from '../../platform/error.ts'
import type { Reach } from '../../platform/reach.ts'
import { shellWord } from '../../platform/text/shell-word.ts'
import { type SourceChoice, chooseSource } from '../../source/choice/choice.ts'
import { detectSource, type DetectOptions } from '../../source/detect.ts'
import { looksLikeSource, nameOfSource } from '../../source/source-name.ts'
import type { SitemapFilter, Source } from '../../store/source.ts'
import { splitVersion } from '../../version/package-name.ts'
import type { Dialog } from '../operation.ts'
import { checkChoices } from '../field.ts'
import { addFields, type AddInput } from './add-fields.ts'
import { findListedSource } from './listed-source.ts'

export type ChoosingContext = {
  config: Pick<Config, 'reach' | 'sources'>
  surroundings: { env: Environment; cwd: string; home: string }
  dialog: Dialog
  signal?: AbortSignal
}

/**
 * Returns the path `./NAME` if the current folder contains a file or folder with this name. A
 * library in a registry (`isListed`) or in a list of sources takes precedence because `og add
 * react` must not depend on the folder. Agents can name only libraries.
 */
export async function nameOrPath(
  context: ChoosingContext,
  name: string,
  {
    source,
    sources_file,
    isListed,
  }: Pick<AddInput, 'source' | 'sources_file'> & { isListed: boolean },
): Promise<string> {
  const { config, surroundings, dialog } = context
  const isName = source === null && config.reach === null && !looksLikeSource(name)
  if (!isName || !existsSync(resolve(surroundings.cwd, name))) return name
  const path = `./${name}`
  const isSame = (other: string) => other.toLowerCase() === name.toLowerCase()
  const listed = isListed ? [] : await sourceNames(sourceListPaths(context, sources_file))
  if (!isListed && !listed.some(isSame)) return path
  const what = `"${name}" is taken for the library of that name`
  dialog.note('hint', `${what}; og add ${shellWord(path)} reads the one here`)
  return name
}

/**
 * Returns the input with its library name. If the user gave a source instead of a name, the name
 * comes from the source. A version in the name becomes the input's version.
 */
export function withNameFromSource(
  { surroundings }: Pick<ChoosingContext, 'surroundings'>,
  input: AddInput,
): AddInput {
  const { library, source, as, version } = input
  // If a source is given separately, `library` is always a name, even if it looks like a source.
  if (source !== null || !looksLikeSource(library)) {
    if (as === null) return { ...input, ...splitVersion({ library, version }) }
    throw new OgError(
      `--as gives the name of a library from a source, but "${library}" is already a name`,
      { hint: `og add ${shellWord(as)} --source SOURCE` },
    )
  }
  const detecting = { docsPaths: [], ...surroundings }
  const name = as ?? nameOfSource(detectSource(library, detecting).source)
  if (name !== null) return { ...input, library: name, source: library }
  throw new OgError(`Cannot derive a library name from "${library}"`, {
    hint: `og add ${shellWord(library)} --as NAME`,
  })
}

/** `listName` is the library's name in the list if the user confirmed a correction. */
type ChosenSource = SourceChoice & { listName?: string }

export async function chooseInputSource(
  context: ChoosingContext,
  input: AddInput,
): Promise<ChosenSource> {
  const { api } = checkChoices(addFields, input)
  const chosen = await chooseGuides(context, input, api === 'only')
  return api === null ? chosen : { ...chosen, source: { ...chosen.source, api } }
}

async function chooseGuides(
  context: ChoosingContext,
  input: AddInput,
  onlyApi: boolean,
): Promise<ChosenSource> {
  const { config, surroundings, dialog, signal } = context
  const { reach } = config
  const { version } = input
  const choosing = { version, surroundings, reach, onlyApi, ...(signal && { signal }) }
  const parts = {
    docsPaths: [...input.docs_path],
    baseUrl: input.base_url,
    filter: filterOf(input),
  }
  if (input.source !== null) {
    const source = await namedSource(input.source, { ...parts, ...surroundings, reach })
    if (source.kind === 'site' && input.only_page) {
      return { source: { kind: 'web_page', url: source.url }, how: null, rejected: [] }
    }
    if (source.kind === 'site' && input.follow_links) {
      return { source, how: null, rejected: [] }
    }
    return chooseSource(source, choosing)
  }
  const places = { ...sourceListPaths(context, input.sources_file), reach }
  const listed = await findListedSource(dialog, input.library, places)
  const source = withParts(listed.source, parts)
  const listName = listed.library
  if (source.kind === 'package') return { ...(await chooseSource(source, choosing)), listName }
  return { source, how: null, rejected: [], listName }
}

/** Returns the lists of sources, `file` first. */
export function sourceListPaths(
  { config, surroundings: { env, cwd, home } }: ChoosingContext,
  file: string | null,
): SourcesPlaces {
  const path = file === null ? config.sources.filePath : expandPath(file, env)
  return { file: path, isTyped: file !== null, cwd, home, lists: userPaths(env).lists() }
}

async function namedSource(
  source: string,
  { reach, ...detecting }: DetectOptions & { reach: Reach | null },
): Promise<Source> {
  if (reach === null) return detectSource(source, detecting).source
  const { parseAgentSource } = await import('../../library/add/agent-source.ts')
  return parseAgentSource(source, { ...detecting, reach })
}

type SourceParts = { docsPaths: string[]; baseUrl: string | null; filter: Partial<SitemapFilter> }

function withParts(source: Source, { docsPaths, baseUrl, filter }: SourceParts): Source {
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

function filterOf(input: AddInput): Partial<SitemapFilter> {
  const filter: Partial<SitemapFilter> = {}
  if (input.filter_keyword.length > 0) filter.filterKeywords = [...input.filter_keyword]
  if (input.exclude.length > 0) filter.exclude = [...input.exclude]
  if (input.language.length > 0) filter.languages = [...input.language]
  if (input.trim_query_params) filter.trimQueryParams = true
  if (input.below !== null) filter.below = input.below
  return filter
}

const siteFields = ['filter_keyword', 'exclude', 'language', 'trim_query_params', 'below'] as const

/** Returns the given fields that apply only to websites, or none if the source is a website. */
export function unusedFields(input: AddInput, source: Source): (keyof AddInput)[] {
  if ('filterKeywords' in source) return []
  const isGiven = (value: AddInput[keyof AddInput]) =>
    Array.isArray(value) ? value.length > 0 : Boolean(value)
  return siteFields.filter(
    (name) => isGiven(input[name]) && (name !== 'language' || source.kind === 'web_page'),
  )
}
