import { isAutomaticLabel } from '../../version/version.ts'
import type { LibraryVersion } from '../../library/library.ts'
import { OgError } from '../../platform/error.ts'
import { shellWord } from '../../platform/text/shell-word.ts'
import type { SourceChoice } from '../../source/choice/choice.ts'
import { displaySource, type Source } from '../../store/source.ts'
import type { Dialog } from '../operation.ts'

export function versionsFromOtherSources(
  indexed: readonly LibraryVersion[],
  { library, source }: { library: string; source: Source },
): LibraryVersion[] {
  const isSame = (other: Source) =>
    displaySource(other) === displaySource(source) ||
    (other.package !== undefined && other.package === source.package)
  return indexed.filter(
    (it) => it.library.toLowerCase() === library.toLowerCase() && !isSame(it.source),
  )
}

/**
 * Returns the label to keep if a package is indexed under its registry version, `1.2.0`, but its
 * source now calls it `v1.2.0`. Otherwise returns undefined.
 */
export function labelToKeep(
  indexed: readonly LibraryVersion[],
  { library, source, version, release }: PackageChoice,
): string | undefined {
  const mine = indexed
    .filter(
      (it) =>
        it.library.toLowerCase() === library.toLowerCase() &&
        it.source.package !== undefined &&
        it.source.package === source.package,
    )
    .map((it) => it.version)
  const isKept = release !== undefined && mine.includes(release)
  return isKept && !mine.includes(version ?? release) ? release : undefined
}

type PackageChoice = Pick<SourceChoice, 'source' | 'version' | 'release'> & { library: string }

/** Returns the version to replace. A library has only one version per source folder. */
export function versionToReplace(
  others: readonly LibraryVersion[],
  { version, follows = false }: { version: string; follows?: boolean },
): LibraryVersion | null {
  return others.find((it) => (follows ? isAutomaticLabel(it) : it.version === version)) ?? null
}

/** The label of the version to replace, and text that names its old and new sources. */
export type VersionReplacement = { label: string; places: string }

export function replacementText(
  { library, version, source }: LibraryVersion,
  other: Source,
): VersionReplacement {
  const places = `it came from ${displaySource(source)}, and now comes from ${displaySource(other)}`
  return { label: `${library} ${version}`, places }
}

/**
 * True if a version may replace one from a different source. Asks the user if possible because two
 * sources rarely share a name on purpose.
 */
export async function confirmReplacement(
  dialog: Dialog,
  { replaced, yes }: { replaced: VersionReplacement; yes: boolean },
): Promise<boolean> {
  if (yes || !dialog.canAsk) return true
  const { label, places } = replaced
  if (await dialog.ask(`Replace ${label} (${places})?`)) return true
  dialog.note('plain', 'Nothing was changed.')
  return false
}

export async function chooseFreeName(
  dialog: Dialog,
  indexed: readonly LibraryVersion[],
  naming: { argument: string; library: string; source: Source; isNamed: boolean },
): Promise<string> {
  const { argument, source, isNamed } = naming
  let { library } = naming
  for (;;) {
    const [other] = isNamed ? [] : versionsFromOtherSources(indexed, { library, source })
    if (other === undefined) return library
    library = await askForName(dialog, argument, other)
  }
}

/**
 * Asks for a different name if the source's name is taken. A source may replace a different one
 * only if the user typed the name.
 * @throws OgError if no user is present or the answer is empty
 */
async function askForName(
  dialog: Dialog,
  argument: string,
  { library, version, source }: LibraryVersion,
): Promise<string> {
  const taken = `The name "${library}" is taken: ${version} of it is from ${displaySource(source)}`
  if (dialog.canAsk) {
    dialog.note('plain', taken)
    const name = await dialog.askText('Name for this one:')
    if (name !== '') return name
  }
  const argumentWord = shellWord(argument)
  throw new OgError(taken, {
    hint: `og add ${argumentWord} --as NAME; or og add ${library} --source ${argumentWord}`,
  })
}
