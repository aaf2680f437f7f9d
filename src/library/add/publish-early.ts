import { untilAborted } from '../../platform/concurrency.ts'
import { OgError } from '../../platform/error.ts'
import type { GenerationWriter } from '../../store/generation.ts'
import type { Generation } from '../../store/registry.ts'
import { remoteBucketOf } from '../../store/remote/remote-bucket.ts'
import { embeddedTextFormatter } from '../../chunk/embedded-text.ts'
import { findRepeatsByPage } from '../../chunk/repeats.ts'
import type { LibraryContext } from '../library-context.ts'
import type { IntactState } from './live-state.ts'
import type { EmbeddingSetup } from './ingest.ts'
import { isEmbeddedBy } from './recipe.ts'
import type { VersionRun } from './replace-version.ts'
import { embeddingWork, embedInSteps, type StepOptions } from './steps.ts'

/** A version with less text, in characters, is published only when its embeddings are computed. */
const fewestCharacters = 32_000
/** The same limit, as a number of chunks to embed: some seconds of work. */
const fewestMissing = 48

/**
 * Whether to publish a library version before it is embedded: if it is large enough, and is new or
 * its live state is not fully embedded either. Not with `minHealth`, because health is measured
 * with embeddings. Not to a bucket, because each published step uploads the whole version again.
 */
export function canPublishEarly(
  { context, request, entry }: VersionRun,
  characters: number,
): boolean {
  if (context.fingerprint === null || remoteBucketOf(context.folder) !== null) return false
  if (typeof request.minHealth === 'number') return false
  return (entry === null || entry.live.embedded !== undefined) && characters >= fewestCharacters
}

export async function publishAndEmbed(
  run: VersionRun,
  generation: GenerationWriter,
  { embedding, record, missing }: Embeddable & { missing: number },
): Promise<number> {
  const { request, entry } = run
  request.signal?.throwIfAborted()
  let published = entry === null ? -1 : (entry.live.embedded ?? entry.live.chunks)
  if (entry === null && missing >= fewestMissing) {
    await generation.finish({ isPartial: true })
    await run.publish({ ...record, embedded: 0 })
    published = 0
  }
  const work = await embeddingWork(generation, embedding)
  return embedInSteps(run, generation, { embedding, work, record, published })
}

type Embeddable = Pick<StepOptions, 'embedding' | 'record'>

export function lacksOnlyEmbeddings(
  context: LibraryContext,
  {
    entry: {
      live: { embedded, ...live },
    },
    rest,
  }: IntactState,
): boolean {
  return embedded !== undefined && rest === 'whole' && context.isMadeBySettings(live)
}

export async function embedRemaining(
  run: VersionRun,
  { entry: { live }, open }: IntactState,
  record: Generation,
): Promise<number> {
  const {
    context,
    request: { signal },
  } = run
  const embedding = (await context.embedding())!
  await untilAborted(embedding.ready?.() ?? Promise.resolve(), signal)
  if (!(await isEmbeddedBy(live, embedding.embedder, signal))) throw otherModel(record)
  await keepEmbeddings(open, embedding)
  const work = await embeddingWork(open, embedding)
  const published = live.embedded ?? live.chunks
  return embedInSteps(run, open, { embedding, work, record, published })
}

/** Copies published embeddings to the cache, because the user may have deleted it. */
async function keepEmbeddings(
  open: IntactState['open'],
  { cache }: NonNullable<EmbeddingSetup>,
): Promise<void> {
  const textOf = embeddedTextFormatter(await findRepeatsByPage(open.pages()))
  for await (const { embedding, ...chunk } of open.embeddedChunks(null)) {
    const text = textOf(chunk)
    if (cache.read([text])[0] === null) cache.write([text], embedding)
  }
}

function otherModel({ fingerprint }: Generation): OgError {
  return new OgError(
    'Cannot embed the rest: the endpoint now serves another model under the name ' +
      `"${fingerprint!.model}"`,
    { hint: '"og reembed" embeds the whole library again' },
  )
}
