import type { LanguageName } from '../../api/language.ts'
import type { Requirement } from '../../api/link/dependency.ts'
import { OgError } from '../../platform/error.ts'
import { allowedHost } from '../../platform/reach.ts'
import type { Source } from '../../store/source.ts'
import { archiveTexts } from '../archive/archive.ts'
import { npmRelease } from '../package/npm.ts'
import { pypiRelease } from '../package/pypi.ts'
import { openRegistry, type Registry } from '../package/registry.ts'
import type { CrawlOptions } from '../web/crawler.ts'
import type { SourceTree } from './api-events.ts'

/** Time for all dependencies of one package. */
const mostMs = 60_000

/** A tree that reads dependencies in the registry of its package. */
export function withDependencies(
  tree: SourceTree,
  { registry: url }: Source,
  options: CrawlOptions,
): SourceTree {
  if (url === undefined) return tree
  const { reach, signal: outer } = options
  const signal = AbortSignal.any([AbortSignal.timeout(mostMs), ...(outer ? [outer] : [])])
  const isStranger = Boolean(reach) && !reach!.hosts.includes(allowedHost(new URL(url).host))
  const registry = openRegistry({ url, authorization: null, isStranger }, { ...options, signal })
  return {
    ...tree,
    async dependency(requirement, language) {
      try {
        const archive = await archiveOf(requirement, language, registry)
        if (archive === null) return null
        return await archiveTree(archive, language, { ...options, signal, reach: registry.reach })
      } catch (error) {
        outer?.throwIfAborted()
        if (error instanceof OgError || !signal.aborted) throw error
        throw new OgError(`it could not be read within ${mostMs / 1000} s`, { cause: error })
      }
    },
  }
}

async function archiveOf(
  { name, range, isOptional = false }: Requirement,
  language: LanguageName,
  registry: Registry,
): Promise<string | null> {
  const version = range === '*' || range === '' ? null : range
  const release =
    language === 'typescript'
      ? await npmRelease({ registry: 'npm', name, version }, registry)
      : await pypiRelease({ registry: 'pypi', name, version }, registry)
  const archive = release?.code ?? release?.archive
  if (!archive && isOptional) return null
  if (!archive) throw new OgError(`Cannot find ${name} ${range ?? ''} in the registry`)
  return archive
}

/** The source files of an archive. */
async function archiveTree(
  url: string,
  language: LanguageName,
  options: CrawlOptions,
): Promise<SourceTree> {
  const described = /^(?:package\.json|PKG-INFO|[^/]+\.dist-info\/METADATA)$/
  const code = language === 'typescript' ? /\.[cm]?[jt]sx?$/ : /\.pyi?$/
  const { texts } = await archiveTexts(url, options, (it) => described.test(it) || code.test(it))
  return {
    paths: [...texts.keys()],
    addressOf: (path) => `${url}/${path}`,
    async read(path) {
      const text = texts.get(path)
      return text === undefined ? null : new TextEncoder().encode(text)
    },
  }
}
