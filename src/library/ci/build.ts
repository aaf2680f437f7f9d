import { OgError } from '../../platform/error.ts'
import type { Source } from '../../store/source.ts'
import type { PackSpec } from './pack-list.ts'

/** Measurements of a build, recorded even if the build failed. */
export type BuildFigures = {
  version: string | null
  pages: number | null
  chunks: number | null
  /** In percent; null if it was not measured. */
  health: number | null
  hits: number | null
  /** The previously published result, as its path in the registry or the store. */
  before: string | null
  notes: string[]
}

export const emptyFigures: Readonly<Omit<BuildFigures, 'notes'>> = {
  version: null,
  pages: null,
  chunks: null,
  health: null,
  hits: null,
  before: null,
}

export type RunOg = (words: readonly string[]) => Promise<unknown>

type DryRunResult = {
  version: string
  source: Source
  commit: string | null
  incomplete: string | null
}
type AddRunResult = {
  pages: number
  chunks: number
  failed: { url: string; reason: string }[]
  incomplete: string | null
}
type HealthAnswer = { libraries: { health: number | null; missed: { question: string }[] }[] }
type EvalAnswer = { arms: { hybrid: { hit_5_served: number } }; unknown_gold: string[] }

export function addCommandArguments({
  library,
  version,
  addArguments: adding,
}: PackSpec): string[] {
  const option = version === null ? [] : [`--version=${version}`]
  return ['add', library, '--from=source', ...adding, ...option, '--json']
}

export async function planAdd(
  spec: PackSpec,
  og: RunOg,
  figures: BuildFigures,
): Promise<DryRunResult> {
  const planned = (await og([...addCommandArguments(spec), '--dry-run'])) as DryRunResult
  checkComplete(planned)
  figures.version = planned.version
  return planned
}

export async function runAdd(spec: PackSpec, og: RunOg, figures: BuildFigures): Promise<void> {
  const added = (await og([...addCommandArguments(spec), '--yes'])) as AddRunResult
  // Failed pages keep their old text.
  if (added.failed.length === 0) checkComplete(added)
  Object.assign(figures, { pages: added.pages, chunks: added.chunks })
  figures.notes.push(...failureNotes(added))
}

/**
 * Checks that the intended source can be read, so that an incomplete source does not replace the
 * published state.
 * @throws OgError if the host does not answer
 */
export function checkComplete({ incomplete }: Pick<DryRunResult, 'incomplete'>): void {
  if (incomplete === null) return
  throw new OgError(`Its source is incomplete: ${incomplete}`, {
    hint: 'the published state was kept; build again when the host responds',
  })
}

export function failureNotes({ failed: [first, ...more] }: AddRunResult): string[] {
  if (first === undefined) return []
  const others = more.length === 0 ? '' : `, and ${more.length} more`
  return [`cannot be read: ${first.url} (${first.reason})${others}`]
}

/** @throws OgError if its search health is too low, or too few questions are answered */
export async function checkSearchQuality(
  { library, minHealth, questions, minHits }: PackSpec,
  og: RunOg,
  figures: BuildFigures,
): Promise<void> {
  if (minHealth !== null) {
    const { libraries } = (await og([
      'eval',
      '--self',
      `--library=${library}`,
      '--json',
    ])) as HealthAnswer
    const { health, missed } = libraries[0]!
    figures.health = health
    if (health !== null && health < minHealth) {
      throw new OgError(`Its search health is ${health} %, min_health asks for ${minHealth} %`, {
        hint: `"${missed[0]!.question}" does not find its section`,
      })
    }
  }
  if (questions === null) return
  const words = ['eval', questions, `--library=${library}`, '--json']
  const { arms, unknown_gold: unknown } = (await og(words)) as EvalAnswer
  figures.hits = Math.round(100 * arms.hybrid.hit_5_served)
  if (figures.hits < minHits) {
    throw new OgError(
      `${figures.hits} % of its questions are answered by the first five hits, ` +
        `min_hits asks for ${minHits} %`,
      {
        hint:
          unknown.length === 0
            ? `og eval ${questions} says more`
            : `it has no page "${unknown[0]}", which is said to answer`,
      },
    )
  }
}
