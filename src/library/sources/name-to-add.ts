import { OgError } from '../../platform/error.ts'
import { looksLikeSource } from '../../source/source-name.ts'
import { withVersionInName } from '../../version/version-in-name.ts'

/** `source` is blank or absent where the lists of sources have to know the name. */
type Typed = { library: string; source: string | undefined }

/** Library and version as `og add` reads them: an address in place of the name has its own "@". */
export function nameToAdd({ library, source, version }: Typed & { version: string | null }): {
  library: string
  version: string | null
} {
  const named = { library, version }
  return source || !looksLikeSource(library) ? withVersionInName(named) : named
}

/** What a key of a team lets its holder see: libraries, and names that have a source. */
type KeyView = { canSee(library: string): boolean; knownSources(): Promise<string[]> }

/**
 * What a job says of a name that it does not know comes from all lists of sources.
 * @throws OgError where who asks may not add it, or has to say where it is
 */
export async function checkMayAdd(
  { canSee, knownSources }: KeyView,
  { library, source }: Typed,
): Promise<void> {
  checkSeen(canSee, { library, command: 'add' })
  const isSame = (name: string) => name.toLowerCase() === library.toLowerCase()
  if (source || (await knownSources()).some(isSame)) return
  throw new OgError(`Cannot add "${library}": no source is known by that name`, {
    hint: 'name one as source',
  })
}

/** @throws OgError where who asks may not have it, by its name without a version behind it */
export function checkSeen(
  canSee: KeyView['canSee'],
  { library, command }: { library: string; command: string },
): void {
  if (canSee(withVersionInName({ library, version: null }).library)) return
  throw new OgError(`Cannot ${command} "${library}": this key may not have it`, { code: 'denied' })
}
