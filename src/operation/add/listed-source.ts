import places from '../../../data/sources.json'
import { OgError } from '../../platform/error.ts'
import {
  findSource,
  readSourcesFiles,
  sourceNames,
  toSource,
  type SourcesFileEntry,
  type SourcesPlaces,
  type ListedSource,
} from '../../library/sources/source-list.ts'
import { isTrusted, reasonToConfirm, trustProject } from '../../library/sources/source-trust.ts'
import { readDependencies } from '../../version/dependency.ts'
import {
  packageLibrary,
  packageKey,
  registryKinds,
  type RegistryKind,
} from '../../version/package-name.ts'
import type { Reach } from '../../platform/reach.ts'
import { nearest } from '../../platform/text/nearest.ts'
import { shellWord } from '../../platform/text/shell-word.ts'
import type { Dialog } from '../operation.ts'

type Places = SourcesPlaces & { reach: Reach | null }

/**
 * Finds a library's source in a sources.json or in the bundled list. The user must confirm a source
 * from a project's file unless it is harmless.
 * @throws OgError if no list has the library, or if the user declines
 */
export async function findListedSource(
  dialog: Dialog,
  library: string,
  places: Places,
): Promise<MeantSource> {
  const source = await findKnownSource(dialog, library, places)
  if (source !== null) return { library, source }
  const near = nearest(library, await sourceNames(places))
  const [suggestion] = near
  const isMeant =
    suggestion !== undefined &&
    dialog.canAsk &&
    (await dialog.ask(`No list has "${library}". Did you mean ${suggestion}?`))
  const meantSource = isMeant ? await findKnownSource(dialog, suggestion, places) : null
  if (meantSource === null) throw await noSource(library, { near, places })
  return { library: suggestion!, source: meantSource }
}

/** A library and its source. The name differs from the input if the user confirmed a correction. */
type MeantSource = { library: string; source: ListedSource }

export async function findKnownSource(
  dialog: Dialog,
  library: string,
  places: Places,
): Promise<ListedSource | null> {
  const { files, problems } = await readSourcesFiles(places)
  for (const { message } of problems) dialog.note('warning', message)
  const entry = findSource(files, library)
  if (entry === null) return null
  const source = toSource(entry, places.home)
  const { reach } = places
  const isProject = entry.file.origin === 'project'
  // Trust in a project covers its own sources.json, but not an agent's changes to it.
  if (isProject && reach !== null) {
    const { checkAgentSource } = await import('../../library/add/agent-source.ts')
    await checkAgentSource(source, reach)
  } else if (isProject) await confirm(dialog, { entry, source, places })
  dialog.note('hint', `Using sources file: ${entry.file.path}`)
  return source
}

type Question = { entry: SourcesFileEntry; source: ListedSource; places: SourcesPlaces }

/** `--yes` does not answer this question because a script that passes it has not seen the file. */
async function confirm(dialog: Dialog, { entry, source, places }: Question): Promise<void> {
  const { cwd, lists } = places
  const reason = await reasonToConfirm(source, cwd)
  if (reason === null || (await isTrusted(lists, cwd))) return
  const refuse = (why: string) =>
    new OgError(`Cannot use ${JSON.stringify(entry.name)} in ${entry.file.path}: ${reason}${why}`, {
      hint: `if you trust this project: og sources trust ${shellWord(cwd)}`,
    })
  if (!dialog.canAsk) throw refuse('')
  dialog.note('warning', `${entry.file.path} came with this project; ${reason}`)
  const question = `Trust all sources of ${cwd}, now and later?`
  if (!(await dialog.ask(question))) throw refuse(', and you said no')
  await trustProject(lists, cwd)
}

async function noSource(
  library: string,
  { near, places: { cwd, home } }: { near: readonly string[]; places: Places },
): Promise<OgError> {
  const message = `Cannot add "${library}": no source is named, and no list has one`
  const { dependencies } = await readDependencies(cwd, home)
  const own = dependencies.find(
    (it) => isSame(it.name, library) || isSame(packageLibrary({ ...it, version: null }), library),
  )
  if (own !== undefined) {
    const place = shellWord(packageKey({ ...own, version: null }))
    return new OgError(message, { hint: `${own.file} has it: og add ${place}` })
  }
  const names = near.map((name) => `"${name}"`).join(' or ')
  const suggestion = names === '' ? '' : `did you mean ${names}? Else `
  const prefix = /^([a-z]{2,}):/.exec(library)?.[1]
  if (prefix !== undefined) {
    return new OgError(`Cannot add "${library}": og does not read packages of "${prefix}:"`, {
      hint:
        `it reads ${registryKinds.map((one) => `${one}:`).join(', ')}; ` +
        '--source adds a repository, site or folder',
    })
  }
  return new OgError(message, {
    hint:
      `${suggestion}og add ${library} --source GIT_URL_OR_FOLDER; for a package: ` +
      `${packageCommand(library, dependencies[0]?.registry)}; ` +
      '"og sources" prints all listed sources',
  })
}

/** Returns `og add npm:NAME (or pypi:, …)` with the project's registry first. */
function packageCommand(library: string, likely: RegistryKind = 'npm'): string {
  const others = registryKinds
    .slice(0, nUsual)
    .filter((one) => one !== likely)
    .map((one) => `${one}:`)
    .join(', ')
  return `og add ${likely}:${library} (or ${others})`
}

/** Returns the error for a listed repository that is unreachable, and suggests a package. */
export async function offerPackage(
  error: OgError,
  library: string,
  { cwd, home }: Pick<Places, 'cwd' | 'home'>,
): Promise<OgError> {
  const { dependencies } = await readDependencies(cwd, home)
  const own = dependencies.find((it) => isSame(it.name, library))
  const packageName =
    own === undefined ? bundledPackage(library) : packageKey({ ...own, version: null })
  const command =
    packageName === null
      ? packageCommand(library, dependencies[0]?.registry)
      : `og add ${shellWord(packageName)}`
  const hint = `its registry may have the package: ${command}`
  return new OgError(error.message, { code: error.code, hint, cause: error })
}

/** Returns the package of a bundled library, such as `pypi:fastapi`, or null. */
function bundledPackage(library: string): string | null {
  const parts: readonly string[] = new Map(Object.entries(places)).get(library) ?? []
  return parts.find((part) => part.includes(':')) ?? null
}

const nUsual = 4

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
