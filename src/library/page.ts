import type { OpenEntries } from './entries.ts'
import { pickEntries, type Wanted } from './pick.ts'

export type FullPage = { library: string; version: string; url: string; title: string; text: string }

/**
 * The exact text of the page with this address; null where no asked library version has it.
 * Without a version, other versions are asked when the default one does not have it.
 */
export async function fullPage(
  entries: OpenEntries,
  { url, ...wanted }: Wanted & { url: string },
): Promise<FullPage | null> {
  const preferred = await entries((all) => pickEntries(all, wanted))
  const isMine = (key: string) =>
    wanted.library === null || key === wanted.library.toLowerCase()
  const others =
    wanted.version === null
      ? () => entries((all) => all.filter((entry) => isMine(entry.key)))
      : async () => []
  for (const choose of [async () => preferred, others]) {
    for (const { entry, open } of await choose()) {
      const page = await open.page(url)
      if (page === null) continue
      const { library, version } = entry
      return { library, version, url: page.url, title: page.title, text: page.text }
    }
  }
  return null
}
