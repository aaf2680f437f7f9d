import { OgError } from '../../platform/error.ts'
import { newestFirst, parseRelease } from '../../version/release.ts'
import { matchRef } from '../../version/ref-match.ts'
import type { PackageName } from '../../version/package-name.ts'

/** The metadata of a package version. The URLs come from its publisher and are not trusted. */
export type PackageRelease = {
  version: string
  repository: string | null
  directory: string | null
  /** Tags that the version may have in the repository, most likely first. */
  tags: string[]
  pages: DocumentationPage[]
  archive: string | null
  code?: string | null
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
