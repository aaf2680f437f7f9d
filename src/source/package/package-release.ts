import { OgError } from '../../platform/error.ts'
import { newestFirst, parseRelease } from '../../version/release.ts'
import { matchRef } from '../../version/ref-match.ts'
import type { PackageName } from '../../version/package-name.ts'

/** The metadata of a package version. The URLs come from its publisher and are not trusted. */
export type PackageRelease = {
  /** The version as spelled in the registry. */
  version: string
  repository: string | null
  /** The folder of the package in its repository. */
  directory: string | null
  /** Tags that the version may have in the repository, most likely first. */
  tags: string[]
  /** The URLs of its documentation, then of its home page. */
  pages: DocumentationPage[]
  /** The URL of the package archive, or of its source archive, in the registry. */
  archive: string | null
  /** The URL of the archive with the source files; absent if it is the same as `archive`. */
  code?: string | null
  /** The archives of the crates whose names a crate passes on. */
  relatives?: string[]
}

type DocumentationPage = { url: string; isDocumentation: boolean }

/**
 * The matching version in the registry: the exact one, the newest one that begins with it or is in
 * the range, or the newest of all. A pre-release is chosen only if there is nothing else.
 * @throws OgError if no version matches
 */
export function chooseRegistryVersion(
  { registry, name, version }: PackageName,
  versions: readonly string[],
): string {
  const byAge = versions.toSorted((a, b) => newestFirst(parseRelease(a), parseRelease(b)))
  const refs = byAge.map((one) => ({ name: one, kind: 'tag' as const, commit: one }))
  const match = version === null ? byAge[0] : matchRef(refs, version, '')?.name
  if (match !== undefined) return match
  const what = version === null ? 'any version' : `version "${version}"`
  throw new OgError(`Cannot find ${what} of ${registry}:${name} in its registry`, {
    hint: byAge.length > 0 ? `the newest: ${byAge.slice(0, 5).join(', ')}` : undefined,
  })
}

/** The pages with labels such as `Documentation` and `homepage`. Other labels are ignored. */
export function documentationUrls(
  labelledUrls: readonly (readonly [string, unknown])[],
): DocumentationPage[] {
  const pages = labelledUrls.flatMap(([label, url]) => {
    const isAbout = /doc|manual|guide|home|web|site/i.test(label)
    const isText = isAbout && typeof url === 'string'
    const isWeb = isText && /^https?:\/\//i.test(url) && URL.canParse(url)
    return isWeb ? [{ url, isDocumentation: /doc|manual|guide/i.test(label) }] : []
  })
  const byUrl = new Map(pages.toReversed().map((page) => [page.url, page]))
  return [...byUrl.values()]
    .reverse()
    .sort((a, b) => Number(b.isDocumentation) - Number(a.isDocumentation))
}
