import { findUsedChanges, type UsedChange } from '../library/api/api-use.ts'
import type { LibraryVersion } from '../library/library.ts'
import type { OgView } from '../open.ts'
import { OgError } from '../platform/error.ts'
import { compareReleases } from '../version/pinned-version.ts'
import { parseRelease } from '../version/release.ts'
import { sideJson } from './diff.ts'
import { operation, type Answer } from './operation.ts'

export type ApiDependency = { name: string; version: string; indexed: readonly LibraryVersion[] }

export type ApiUpgrade = {
  from: LibraryVersion
  to: LibraryVersion
  changes: UsedChange[]
  problem: string | null
}

type ApiCheckContext = {
  og: Pick<OgView, 'diffApi'>
  folder: string
  dependencies: readonly ApiDependency[]
}

export const checkApi = operation({
  name: 'check-api',
  summary: 'show which names that the project uses change in newer indexed versions',
  input: {},
  async run({ og, folder, dependencies }: ApiCheckContext): Promise<Answer<ApiUpgrade[]>> {
    const upgrades = dependencies.flatMap((it) => upgradeOf(it) ?? [])
    const compared = []
    for (const { name, from, to } of upgrades) {
      const { changes, problem } = await og.diffApi({ from, to, text: '' }).then(
        (it) => ({ changes: it.changes, problem: null }),
        (error: unknown) => {
          if (!(error instanceof OgError)) throw error
          return { changes: [], problem: error.message }
        },
      )
      compared.push({ package: name, from, to, changes, problem })
    }
    const used = await findUsedChanges(folder, compared)
    const value = compared.map(({ from, to, problem }, at) => {
      return { from, to, problem, changes: used[at]! }
    })
    return { value, notes: [] }
  },
  json: ({ value }) =>
    value.map(({ from, to, ...rest }) => ({ from: sideJson(from), to: sideJson(to), ...rest })),
})

/** Returns the indexed version that the project uses, and the newest release after it. */
function upgradeOf({ name, version, indexed }: ApiDependency) {
  const bare = (text: string) => text.replace(/^v(?=\d)/, '')
  const from = indexed.find((it) => bare(it.version) === bare(version))
  const release = parseRelease(version)
  if (from === undefined || release === null) return null
  const newer = indexed
    .flatMap((one) => ({ one, release: parseRelease(one.version) }))
    .flatMap((it) => (it.release === null ? [] : [{ one: it.one, release: it.release }]))
    .filter((it) => compareReleases(it.release, release) > 0)
    .toSorted((a, b) => compareReleases(b.release, a.release))
  return newer.length === 0 ? null : { name, from, to: newer[0]!.one }
}
