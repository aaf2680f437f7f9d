import { isApiPagePath } from '../../api/api-path.ts'
import type { Markup } from '../../page/page.ts'
import { pageKind, type PageKind } from '../../page/page-kind.ts'
import { translationKey } from '../../source/select/translations.ts'
import { parseValidator } from '../../source/web/validator.ts'
import type { OpenGeneration } from '../../store/reading.ts'

/** Properties of a page that filters test. */
export type PageFacts = {
  url: string
  path: string
  kind: PageKind
  /** Lower case, such as `pt-br`; null if unknown, as for most pages that are not translations. */
  language: string | null
  /** The same value for a page and all its translations. */
  original: string
  markup: Markup
}

/** Returns the facts of every page by URL. They are cached while the generation is open. */
export function pageFacts(open: OpenGeneration): Promise<ReadonlyMap<string, PageFacts>> {
  const key = open.generation
  const facts = factsCache.get(key) ?? readFacts(open)
  factsCache.set(key, facts)
  facts.catch(() => factsCache.delete(key))
  return facts
}

const factsCache = new WeakMap<object, Promise<ReadonlyMap<string, PageFacts>>>()

async function readFacts(open: OpenGeneration): Promise<Map<string, PageFacts>> {
  const heads = await open.pageHeads()
  const spoken = await declaredLanguages(open)
  const facts = new Map<string, PageFacts>()
  for (const { url, path, title, markup } of heads.values()) {
    const place = translationKey(path.replace(/^\/+/, ''))
    // Deep in the tree or in source code, a folder `es` means Elasticsearch, not Spanish.
    const pathLanguage = place.depth < 4 && !isApiPagePath(path) ? place.language : null
    const original = pathLanguage === null ? path : place.key
    const language = pathLanguage ?? spoken(url)
    const kind = pageKind({ path, title })
    facts.set(url, { url, path, kind, language, original, markup: markup as Markup })
  }
  return facts
}

/**
 * Web pages declare their language, which is stored in the validator; other sources declare none.
 */
async function declaredLanguages(open: OpenGeneration): Promise<(url: string) => string | null> {
  const { kind } = open.generation.source
  if (kind === 'git_repo' || kind === 'local_path') return () => null
  const states = await open.pageStates()
  return (url) => {
    const language = parseValidator(states.get(url)?.validator ?? '')?.language
    return language?.replaceAll('_', '-').toLowerCase() ?? null
  }
}
