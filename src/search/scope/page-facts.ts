import { isApiPagePath } from '../../api/api-path.ts'
import { pageKind } from '../../page/page-kind.ts'
import { translationKey } from '../../source/select/translations.ts'
import { parseValidator } from '../../source/validator.ts'
import type { Markup } from '../../document/headings.ts'
import type { PageFacts } from '../collection.ts'
import type { OpenGeneration } from '../../store/open-generation.ts'

/** Returns the facts of every page by URL, cached while the generation is open. */
export function pageFacts(open: OpenGeneration): Promise<ReadonlyMap<string, PageFacts>> {
  const key = open.generation
  const facts = factsCache.getOrInsertComputed(key, () => readFacts(open))
  facts.catch(() => factsCache.delete(key))
  return facts
}

const factsCache = new WeakMap<object, Promise<ReadonlyMap<string, PageFacts>>>()

async function readFacts(open: OpenGeneration): Promise<Map<string, PageFacts>> {
  const heads = await open.pageHeads()
  const spoken = await declaredLanguages(open)
  const facts = new Map<string, PageFacts>()
  const main = mainModule([...heads.values()].filter(({ path }) => isApiPagePath(path)))
  for (const { url, path, title, markup } of heads.values()) {
    const key = translationKey(path.replace(/^\/+/, ''))
    // Deep in the tree or in source code, a folder `es` means Elasticsearch rather than Spanish.
    const pathLanguage = key.depth < 4 && !isApiPagePath(path) ? key.language : null
    const original = pathLanguage === null ? path : key.key
    const language = pathLanguage ?? spoken(url)
    const kind = pageKind({ path, title })
    const isInner = kind === 'api' && !isInModule(title, main)
    const major = majorOf(path)
    const place = { url, path, kind, language, original }
    facts.set(url, { ...place, markup: markup as Markup, isInner, major })
  }
  return facts
}

/** Returns the module with the shortest name, which users import first. */
function mainModule(pages: readonly { title: string }[]): string {
  return pages.reduce(
    (best, { title }) => (best === '' || title.length < best.length ? title : best),
    '',
  )
}

/** True for a module and the classes in it, but not in its namespaces. */
function isInModule(title: string, module: string): boolean {
  if (!title.startsWith(module)) return false
  return /^$|^(?:\.|::|#)[\p{Lu}$_][^.:#/]*$/u.test(title.slice(module.length))
}

function majorOf(path: string): number | null {
  const folder = /(?:^|\/)v(\d{1,2})\//.exec(path)?.[1]
  return folder === undefined ? null : Number(folder)
}

/** Returns the declared languages from the validators. Only web pages declare one. */
async function declaredLanguages(open: OpenGeneration): Promise<(url: string) => string | null> {
  const { kind } = open.generation.source
  if (kind === 'git_repo' || kind === 'local_path') return () => null
  const states = await open.pageStates()
  return (url) => {
    const language = parseValidator(states.get(url)?.validator ?? '')?.language
    return language?.replaceAll('_', '-').toLowerCase() ?? null
  }
}
