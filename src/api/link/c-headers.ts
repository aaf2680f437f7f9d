import { posix } from 'node:path'
import type { FileOutline } from '../symbol.ts'
import type { ApiModule } from './link.ts'
import { publicSymbols } from './namespaces.ts'
import type { PackageSource } from './dependency.ts'

/** Makes a module of each header, because C has no namespaces. */
export function resolveHeaders(
  outlines: ReadonlyMap<string, FileOutline>,
  { pathOf }: Pick<PackageSource, 'pathOf'>,
): ApiModule[] {
  return [...outlines].map(([path, { documentation, symbols }]) => ({
    name: path,
    path: pathOf(path),
    documentation,
    symbols: publicSymbols(symbols, '', { separator: '.' }).map((symbol) => ({
      symbol,
      path: pathOf(path),
    })),
    aliases: [],
    unresolved: [],
  }))
}

/**
 * Returns all headers in folders named `include`. Without such a folder, returns the header with
 * the library's name, such as `png.h` in libpng, or else all headers.
 */
export function publicHeaders({
  name,
  paths,
  pathOf,
}: Pick<PackageSource, 'name' | 'paths' | 'pathOf'>): string[] {
  if (/(?:^|\/)include\/$/.test(pathOf(''))) return [...paths]
  const plain = (text: string) => text.toLowerCase().replace(/^lib|[-_.]?v?\d[\d.]*$/g, '')
  const isOwn = (path: string) => plain(posix.basename(path, '.h')) === plain(name)
  const own = [...paths].filter(isOwn)
  return own.length > 0 ? own : [...paths]
}

/** Returns the headers that a header includes from its own library. */
export function includedHeaders(
  path: string,
  { references }: Pick<FileOutline, 'references'>,
  { paths }: Pick<PackageSource, 'paths'>,
): string[] {
  return references.flatMap(({ module }) => {
    const beside = posix.join(posix.dirname(path), module)
    return [beside, module].find((it) => paths.has(it)) ?? []
  })
}
