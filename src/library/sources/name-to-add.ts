import { OgError } from '../../platform/error.ts'
import { looksLikeSource } from '../../source/source-name.ts'
import { splitVersion } from '../../version/version-in-name.ts'

/** `source` is blank or undefined if the library must be in a list of sources. */
type Typed = { library: string; source: string | undefined }

/**
 * Splits library and version as `og add` does. A URL instead of a name may itself contain an "@".
 */
export function parseNameToAdd({ library, source, version }: Typed & { version: string | null }): {
  library: string
  version: string | null
} {
  const named = { library, version }
  return source || !looksLikeSource(library) ? splitVersion(named) : named
}

/** The libraries, and the names with a known source, that the holder of a team key may see. */
type KeyView = { canSee(library: string): boolean; knownSources(): Promise<string[]> }

/**
 * Checks a name before a job is started, because the error of a job for an unknown name lists all
 * sources.
 * @throws OgError if the caller must not add the library, or must name a source
 */
export async function checkMayAdd(
  { canSee, knownSources }: KeyView,
  { library, source }: Typed,
): Promise<void> {
  checkVisible(canSee, { library, command: 'add' })
  const isSame = (name: string) => name.toLowerCase() === library.toLowerCase()
  if (source || (await knownSources()).some(isSame)) return
  throw new OgError(`Cannot add "${library}": og knows no source with that name`, {
    hint: 'name one as source',
  })
}

/** @throws OgError if the caller must not see the library */
export function checkVisible(
  canSee: KeyView['canSee'],
  { library, command }: { library: string; command: string },
): void {
  if (canSee(splitVersion({ library, version: null }).library)) return
  throw new OgError(`Cannot ${command} "${library}": this key may not have it`, { code: 'denied' })
}
