import type { PageHead } from '../store/pages/page-heads.ts'
import type { Entry } from '../store/registry.ts'
import type { Held, OpenEntries } from './entries.ts'
import { pickEntries, versionsFrom, type VersionFrom, type Wanted } from '../version/pick.ts'
import { sparing } from './sparing.ts'

export type FullPage = {
  library: string
  version: string
  url: string
  title: string
  text: string
  /** The version that the project settled, where it is this page's. */
  versionFrom: VersionFrom | null
}

/**
 * The exact text of the page with this address; null where no asked library version has it.
 * Without a version, other versions are asked when the default one does not have it. Throws where
 * one that may have it is damaged.
 */
export function fullPage(
  entries: OpenEntries,
  request: Wanted & { url: string },
): Promise<FullPage | null> {
  return sparing(entries, async (sound, broken) => {
    const page = await soundPage(sound, request)
    if (page === null && broken.length > 0) throw broken[0]
    return page
  })
}

async function soundPage(
  entries: OpenEntries,
  { url, ...wanted }: Wanted & { url: string },
): Promise<FullPage | null> {
  const isMine = (key: string) => wanted.library === null || key === wanted.library.toLowerCase()
  let settled: VersionFrom[] = []
  const preferred = (all: Entry[]) => {
    const picked = pickEntries(all, wanted)
    settled = versionsFrom(all, picked, wanted)
    return picked
  }
  const any = (all: Entry[]) => all.filter((entry) => isMine(entry.key))
  for (const pick of wanted.version === null ? [preferred, any] : [preferred]) {
    using found = await entries(pick)
    const page = await firstPage(found, url)
    if (page === null) continue
    const isIts = (from: VersionFrom) =>
      from.library === page.library && from.version === page.version
    return { ...page, versionFrom: settled.find(isIts) ?? null }
  }
  return null
}

/** The pages of a library version, by address. Throws OgError where it is not indexed. */
export async function libraryPages(
  entries: OpenEntries,
  wanted: { library: string; version: string | null },
): Promise<ReadonlyMap<string, PageHead>> {
  using found = await entries((all) => pickEntries(all, wanted))
  return await found[0]!.open.pageHeads()
}

async function firstPage(found: Held, url: string) {
  for (const { entry, open } of found) {
    const page = await open.page(url)
    if (page === null) continue
    const { library, version } = entry
    return { library, version, url: page.url, title: page.title, text: page.text }
  }
  return null
}
