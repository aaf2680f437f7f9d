import type { Embedder } from '../../embed/embedder.ts'
import { OgError } from '../../platform/error.ts'
import type { Entry } from '../../store/registry.ts'
import type { OpenVersions } from '../entries.ts'
import type { LibraryContext } from '../library-context.ts'
import { hasComparableVectors, isEmbeddedBy } from '../recipe.ts'

export type OpenEmbedder = () => Promise<Embedder>

/**
 * Returns the embedder of each library version that has embeddings. Versions with the same model
 * share one embedder. Embeddings by two models cannot be compared, so each version is searched with
 * its own model, even if it was built elsewhere or with different settings.
 * @throws OgError if a model is not on this machine
 */
export async function embeddersByModel(
  openVersions: readonly OpenVersions[number][],
  context: LibraryContext,
): Promise<ReadonlyMap<OpenVersions[number], OpenEmbedder>> {
  const groups: { live: Entry['live']; embedder: OpenEmbedder }[] = []
  const embedders = new Map<OpenVersions[number], OpenEmbedder>()
  for (const one of openVersions) {
    const { fingerprint, embedded } = one.entry.live
    if (fingerprint === null || embedded === 0) continue
    const { live } = one.entry
    let group = groups.find((it) => isOfOneModel(live, it.live))
    if (group === undefined) {
      group = { live, embedder: await embedderOf(one.entry, context) }
      groups.push(group)
    }
    embedders.set(one, group.embedder)
  }
  return embedders
}

/** A library without a probe cannot be compared with one that has a probe. */
function isOfOneModel(a: Entry['live'], b: Entry['live']): boolean {
  const isProbed = ({ fingerprint }: Entry['live']) => fingerprint?.probe !== undefined
  return isProbed(a) === isProbed(b) && hasComparableVectors(a, b)
}

async function embedderOf(entry: Entry, context: LibraryContext): Promise<OpenEmbedder> {
  if (hasComparableVectors(entry.live, context)) {
    return async () => {
      const own = (await context.embedder())!
      if (await isEmbeddedBy(entry.live, own)) return own
      throw otherModel(entry)
    }
  }
  const embedder = await context.ownEmbedder(entry.live.fingerprint!)
  if (embedder !== null) return async () => embedder
  throw incomparable(entry, context)
}

function incomparable({ library, version, live }: Entry, context: LibraryContext): OgError {
  const [was, own] = [live.fingerprint!, context.fingerprint!]
  return new OgError(
    `Cannot compare embeddings: library "${library}" version "${version}" was ` +
      `embedded by ${was.model} (${was.dimensions} dimensions), which is not on this machine; ` +
      `the settings name ${own.model} (${own.dimensions})`,
    {
      hint:
        `"og reembed ${library}" embeds it again; or restore embeddings.embedding_model; ` +
        'embeddings.embedding_backend none searches full text only',
    },
  )
}

function otherModel({ library, version, live }: Entry): OgError {
  return new OgError(
    `Cannot compare embeddings: since library "${library}" version "${version}" was embedded, ` +
      `the model "${live.fingerprint!.model}" at the endpoint has changed`,
    {
      hint:
        `"og reembed ${library}" embeds it again; embeddings.embedding_backend none searches ` +
        'full text only',
    },
  )
}
