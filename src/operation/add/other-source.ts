import { isFollowing } from '../../version/following.ts'
import type { LibraryVersion } from '../../library/library.ts'
import { OgError } from '../../platform/error.ts'
import { shellWord } from '../../platform/text/shell-word.ts'
import type { Choice } from '../../source/choice/choice.ts'
import { sourcePlace, type Source } from '../../store/source.ts'
import type { Dialog } from '../operation.ts'

/** The versions of a library that came from elsewhere. */
export function fromElsewhere(
  indexed: readonly LibraryVersion[],
  { library, source }: { library: string; source: Source },
): LibraryVersion[] {
  const isSame = (other: Source) =>
    sourcePlace(other) === sourcePlace(source) ||
    (other.package !== undefined && other.package === source.package)
  return indexed.filter(
    (it) => it.library.toLowerCase() === library.toLowerCase() && !isSame(it.source),
  )
}

/**
 * The label of a package that is indexed already under the version of its registry, `1.2.0`, when
 * its source now spells that version otherwise, `v1.2.0`. Undefined: the source's own spelling.
 */
export function keptLabel(
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

type PackageChoice = Pick<Choice, 'source' | 'version' | 'release'> & { library: string }

/** The one whose place a version would take; a library has one that follows a folder. */
export function replacedAmong(
  others: readonly LibraryVersion[],
  { version, follows = false }: Labelling,
): LibraryVersion | null {
  return others.find((it) => (follows ? isFollowing(it) : it.version === version)) ?? null
}

type Labelling = { version: string; follows?: boolean }

/**
 * What would be replaced (`label`), and where it came from and where the new one comes from
 * (`places`).
 */
export type Replaced = { label: string; places: string }

export function replacedText(
  { library, version, source }: LibraryVersion,
  other: Source,
): Replaced {
  const places = `it came from ${sourcePlace(source)}, and now comes from ${sourcePlace(other)}`
  return { label: `${library} ${version}`, places }
}

/**
 * Whether a version may take the place of one from another source. A user who is there is asked,
 * since two sources seldom share a name on purpose.
 */
export async function mayReplace(
  dialog: Dialog,
  { replaced, yes }: { replaced: Replaced; yes: boolean },
): Promise<boolean> {
  if (yes || !dialog.canAsk) return true
  const { label, places } = replaced
  if (await dialog.ask(`Replace ${label} (${places})?`)) return true
  dialog.note('plain', 'Nothing was changed.')
  return false
}

type Naming = { typed: string; library: string; source: Source; isNamed: boolean }

/** The name that a source gives a library, or another where somebody says one. */
export async function freeName(
  dialog: Dialog,
  indexed: readonly LibraryVersion[],
  naming: Naming,
): Promise<string> {
  const { typed, source, isNamed } = naming
  let { library } = naming
  for (;;) {
    const [other] = isNamed ? [] : fromElsewhere(indexed, { library, source })
    if (other === undefined) return library
    library = await otherName(dialog, typed, other)
  }
}

/**
 * Another name, where that of the source belongs to another library: two sources of one name are
 * never swapped where nobody typed the name.
 * @throws OgError where nobody can be asked, or says nothing
 */
async function otherName(
  dialog: Dialog,
  typed: string,
  { library, version, source }: LibraryVersion,
): Promise<string> {
  const taken = `The name "${library}" is taken: ${version} of it is from ${sourcePlace(source)}`
  if (dialog.canAsk) {
    dialog.note('plain', taken)
    const name = await dialog.askText('Name for this one:')
    if (name !== '') return name
  }
  throw new OgError(taken, {
    hint: `og add ${shellWord(typed)} --as NAME; or og add ${library} --source ${shellWord(typed)}`,
  })
}
