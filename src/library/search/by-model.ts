import type { Embedder } from '../../embed/embedder.ts'
import { OgError } from '../../platform/error.ts'
import type { Entry } from '../../store/registry.ts'
import type { Held } from '../entries.ts'
import type { Opened } from '../opened.ts'
import { isComparable } from '../add/recipe.ts'

export type OpenEmbedder = () => Promise<Embedder>

/** Library versions that one query's embedding serves; null: none of them has embeddings. */
export type ModelGroup = { held: Held[number][]; embedder: OpenEmbedder | null }

/**
 * Library versions by the model that embedded them, since embeddings of two models cannot be
 * compared: each is asked by its own model, so that a library that was made elsewhere, or before
 * the settings changed, still answers. Those without embeddings go with the first group.
 * @throws OgError where a model is not on this machine
 */
export async function byModel(
  found: readonly Held[number][],
  opened: Opened,
): Promise<ModelGroup[]> {
  const groups = new Map<string, ModelGroup>()
  const bare: Held[number][] = []
  for (const one of found) {
    const { fingerprint } = one.entry.live
    if (fingerprint === null) {
      bare.push(one)
      continue
    }
    const key = JSON.stringify(fingerprint)
    const group = groups.get(key) ?? { held: [], embedder: await embedderOf(one.entry, opened) }
    group.held.push(one)
    groups.set(key, group)
  }
  const [first = { held: [], embedder: null }, ...others] = groups.values()
  return [{ ...first, held: found.filter((it) => bare.includes(it) || first.held.includes(it)) },
    ...others]
}

async function embedderOf(entry: Entry, opened: Opened): Promise<OpenEmbedder> {
  if (isComparable(entry.live, opened)) return async () => (await opened.embedder())!
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
