import { OgError } from '../../platform/error.ts'
import { readEntries, type Entry } from '../../store/registry.ts'
import { pickEntries, pickEntry } from '../../version/pick.ts'
import type { AddResult, RunRequest } from '../library.ts'
import type { LibraryContext } from '../library-context.ts'
import { embedRemaining, lacksOnlyEmbeddings } from './publish-early.ts'
import { rewritePages } from './reembed.ts'
import {
  replaceVersion,
  entryLocker,
  unchangedState,
  type NextState,
  type VersionRun,
  type RunStart,
  type GenerationBuild,
} from './replace-version.ts'
import { toOutcome, type UpdateOutcome, type UpdateRequest } from './update.ts'

export type ResumeRequest = RunRequest & Pick<UpdateRequest, 'library' | 'version'>

/**
 * Resumes embedding library versions that were published before all chunks were embedded: of one
 * library or version, or of the whole store. Fetches nothing. If one version fails, the others
 * continue.
 * @throws OgError if the library or version is not indexed, or the run is interrupted
 */
export async function* resumeLibraries(
  context: LibraryContext,
  request: ResumeRequest,
): AsyncGenerator<UpdateOutcome> {
  for (const entry of unfinished(await readEntries(context.folder), request)) {
    const outcome = await toOutcome(entry, () => resume(context, entry, request))
    request.signal?.throwIfAborted()
    yield outcome
  }
}

function unfinished(
  entries: Entry[],
  { library, version }: Pick<ResumeRequest, 'library' | 'version'>,
): Entry[] {
  const any = library === null ? null : pickEntry(entries, { library, version })
  const named = version === null ? entries : pickEntries(entries, { library, version })
  return named.filter(
    ({ key, live }) => live.embedded !== undefined && (any === null || key === any.key),
  )
}

async function resume(
  context: LibraryContext,
  named: Entry,
  request: ResumeRequest,
): Promise<AddResult> {
  const { result } = await replaceVersion(context, request, {
    async turn(start: RunStart) {
      Object.assign(start.progress, { version: named.version, isSearchable: true })
      const turn = await entryLocker(named)(start)
      start.report({ phase: 'embedding', pages: turn.entry.live.pages })
      return turn
    },
    current: async ({ entry: { live } }) => (live.embedded === undefined ? live : null),
    write: embedEntry,
  })
  return result
}

/** If settings or og have changed since the version was cut, cuts its stored pages again. */
async function embedEntry(
  run: VersionRun,
  { before, generation }: GenerationBuild,
): Promise<NextState> {
  if (before.kind === 'fresh') {
    const { library, version } = run.target
    throw new OgError(
      `Cannot embed the rest of library "${library}" version "${version}": ` +
        'its pages cannot be read',
      { hint: 'run og doctor; og update reads its source again' },
    )
  }
  if (!lacksOnlyEmbeddings(run.context, before))
    return rewritePages(run, before, await generation())
  const { live } = before.entry
  const embedded = await embedRemaining(run, before, live)
  return { ...unchangedState(live), how: 'published', embedded }
}
