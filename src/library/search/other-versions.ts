import { isNearCopy, plainWords } from '../../search/excerpt/near-copy.ts'
import { outlinePage } from '../../search/excerpt/outline.ts'
import type { Entry } from '../../store/registry.ts'
import type { OpenVersions, OpenEntries } from '../entries.ts'
import type { Hit } from '../library.ts'
import { newestVersionsFirst } from '../../version/version.ts'
import type { Markup } from '../../document/headings.ts'
import type { OpenGeneration } from '../../store/open-generation.ts'

const mostVersions = 12

type HitWithTexts = { hit: Hit; texts: readonly string[] }

/** Adds to each hit the other versions with the same text, even if they were not searched. */
export async function addOtherVersions(
  entries: OpenEntries,
  siblings: readonly Entry[],
  answers: HitWithTexts[],
): Promise<Hit[]> {
  const libraries = new Set(answers.map(({ hit }) => hit.library))
  const ids = siblings.filter(({ library }) => libraries.has(library)).map(({ live }) => live.id)
  if (ids.length === 0) return answers.map(({ hit }) => hit)
  using others = await entries((all) => all.filter(({ live }) => ids.includes(live.id)))
  const versions = await versionsWithText(others, answers)
  return answers.map(({ hit }) => ({ ...hit, versions: versions.get(hit)! }))
}

export function versionsOfSameLibraries(all: readonly Entry[], picked: readonly Entry[]): Entry[] {
  return [...new Set(picked.map(({ key }) => key))].flatMap((key) => {
    const group = all.filter((entry) => entry.key === key)
    if (group.length === 1) return []
    const labels = newestVersionsFirst(group.map(({ version }) => version)).slice(0, mostVersions)
    return group.filter(({ version }) => labels.includes(version))
  })
}

/**
 * Returns for each hit the versions with the same text in the same place, newest first. These are
 * the hit's own version, and each of `others` that has nearly the same words under the same heading
 * of the same page.
 */
async function versionsWithText(
  others: OpenVersions,
  all: readonly HitWithTexts[],
): Promise<Map<Hit, string[]>> {
  const versions = new Map(all.map(({ hit }) => [hit, [hit.version]]))
  await Promise.all(
    others.map(async ({ entry, open }) => {
      const mine = all.filter(
        ({ hit }) => hit.library === entry.library && hit.version !== entry.version,
      )
      if (mine.length === 0) return
      const pages = await textsByPath(
        open,
        mine.map(({ hit }) => hit.path),
      )
      for (const said of mine) {
        const page = pages.get(said.hit.path)
        if (page && containsText(page, said)) versions.get(said.hit)!.push(entry.version)
      }
    }),
  )
  return new Map([...versions].map(([hit, held]) => [hit, newestVersionsFirst(held)]))
}

type Text = { text: string; markup: string }

async function textsByPath(open: OpenGeneration, paths: string[]): Promise<Map<string, Text>> {
  const distinct = new Set(paths)
  const heads = [...(await open.pageHeads()).values()].filter(({ path }) => distinct.has(path))
  const texts = await open.pageTexts(heads.map(({ url }) => url))
  return new Map(
    heads.flatMap(({ url, path }) => {
      const page = texts.get(url)
      return page === undefined ? [] : [[path, page] as const]
    }),
  )
}

function containsText(page: Text, { hit, texts }: HitWithTexts): boolean {
  if (texts.every((text) => page.text.includes(text))) return true
  const spoken = ` ${plainWords(page.text).join(' ')} `
  if (texts.every((text) => spoken.includes(` ${plainWords(text).join(' ')} `))) return true
  return texts.length === 1 && isUnder(hit.heading, page, texts[0]!)
}

/** True if nearly the same text is under the heading. It may continue under the next ones. */
function isUnder(heading: string, { text, markup }: Text, said: string): boolean {
  const { sections } = outlinePage({ text, markup: markup as Markup })
  const first = sections.findIndex(({ path }) => path.join(' > ') === heading)
  if (first < 0) return false
  for (let last = first; last < sections.length; last++) {
    const held = text.slice(sections[first]!.start, sections[last]!.end).trim()
    if (held.length > 1.5 * said.length + 100) return false
    if (isNearCopy(held, said)) return true
  }
  return false
}
