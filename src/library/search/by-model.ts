import type { Embedder } from '../../embed/embedder.ts'
import { OgError } from '../../platform/error.ts'
import type { Entry } from '../../store/registry.ts'
import type { Held } from '../entries.ts'
import type { Opened } from '../opened.ts'
import { isComparable, isModelOf } from '../add/recipe.ts'

export type OpenEmbedder = () => Promise<Embedder>

/**
 * Returns the embedder of each library version that has embeddings, one for each model. Embeddings
 * of two models cannot be compared, so each version is searched with its own model. That way a
 * library that was built elsewhere, or before the settings changed, still answers.
 * @throws OgError if a model is not on this machine
 */
export async function embeddersByModel(
  held: readonly Held[number][],
  opened: Opened,
): Promise<ReadonlyMap<Held[number], OpenEmbedder>> {
  const groups: { live: Entry['live']; embedder: OpenEmbedder }[] = []
  const embedders = new Map<Held[number], OpenEmbedder>()
  for (const one of held) {
    const { fingerprint, embedded } = one.entry.live
    if (fingerprint === null || embedded === 0) continue
    const { live } = one.entry
    let group = groups.find((it) => isOfOneModel(live, it.live))
    if (group === undefined) {
      group = { live, embedder: await embedderOf(one.entry, opened) }
      groups.push(group)
    }
    embedders.set(one, group.embedder)
  }
  return embedders
}

/** A library without a probe cannot be compared with a library that has one. */
function isOfOneModel(a: Entry['live'], b: Entry['live']): boolean {
  const isProbed = ({ fingerprint }: Entry['live']) => fingerprint?.probe !== undefined
  return isProbed(a) === isProbed(b) && isComparable(a, b)
}

async function embedderOf(entry: Entry, opened: Opened): Promise<OpenEmbedder> {
  if (isComparable(entry.live, opened)) {
    return async () => {
      const own = (await opened.embedder())!
      if (await isModelOf(entry.live, own)) return own
      throw otherModel(entry)
    }
  }
  const embedder = await opened.ownEmbedder(entry.live.fingerprint!)
  if (embedder !== null) return async () => embedder
  throw incomparable(entry, opened)
}

function incomparable({ library, version, live }: Entry, opened: Opened): OgError {
  const [was, own] = [live.fingerprint!, opened.fingerprint!]
  return new OgError(
    `Cannot compare embeddings: library "${library}" version "${version}" was ` +
      `embedded by ${was.model} (${was.dimensions} dimensions), which is not on this machine; ` +
      `the settings name ${own.model} (${own.dimensions})`,
    {
      hint:
        `"og reembed ${library}" embeds it anew; ` +
        'or set embeddings.embedding_model back; ' +
        'embeddings.embedding_backend none searches the text alone',
    },
  )
}

function otherModel({ library, version, live }: Entry): OgError {
  return new OgError(
    `Cannot compare embeddings: the endpoint has another model as ` +
      `"${live.fingerprint!.model}" than the one that embedded library "${library}" version ` +
      `"${version}"`,
    {
      hint:
        `"og reembed ${library}" embeds it anew; ` +
        'embeddings.embedding_backend none searches the text alone',
    },
  )
}
