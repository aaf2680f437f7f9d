import { languages, type LanguageName } from '../../api/language.ts'
import type { DependencyFiles, Requirement, PackageSource } from '../../api/link/dependency.ts'
import type { FileOutline } from '../../api/symbol.ts'
import { OgError, reasonOf } from '../../platform/error.ts'
import type { SourceTree } from './api-events.ts'
import { exportedAside, findPackages } from './packages.ts'

/** A package that gets files of its dependencies while it is parsed. */
export type BorrowingSource = PackageSource & {
  paths: Set<string>
  dependencies: Map<string, DependencyFiles>
}

type Borrowing = {
  language: LanguageName
  root: string
  place: BorrowingSource
  texts: Map<string, Uint8Array>
  tree: SourceTree
  /** The addresses of files from dependencies. The borrower adds to them. */
  addresses: Map<string, string>
}

/** Limits on the dependencies of one package. */
const mostDependencies = 20
const mostBytes = 32 * 2 ** 20

type Borrowed = {
  /** Files to parse next. */
  files: string[]
  /** The packages that cannot be read, with reasons. */
  failures: [name: string, reason: string][]
}

/** Reads the files of dependencies that declare names which a package re-exports. */
export function openBorrower({ language, root, place, texts, tree, addresses }: Borrowing) {
  const asked = new Set<string>()
  const borrowed = new Set<string>()
  // A distribution without its own files consists of others, whose modules count as its own.
  const isEmpty = place.paths.size === 0
  let left = mostBytes
  return {
    /** Returns true if a file belongs to a dependency. */
    has: (path: string) => borrowed.has(path),
    /** Returns the files from dependencies that the names found so far need. */
    async next(outlines: ReadonlyMap<string, FileOutline>): Promise<Borrowed> {
      const failures: Borrowed['failures'] = []
      const { needs } = languages[language].reach ?? {}
      if (needs === undefined || tree.dependency === undefined) return { files: [], failures }
      for (;;) {
        const { files, packages } = needs(outlines, place)
        const missing = [...packages.values()].filter(({ name }) => !asked.has(name))
        if (missing.length === 0) return { files: [...files].map((it) => root + it), failures }
        for (const requirement of missing) {
          const reason = await borrow(requirement)
          if (reason !== null) failures.push([requirement.name, reason])
        }
        if (isEmpty) return { files: [...borrowed], failures }
      }
    },
  }

  /** Adds a dependency's files. Returns the reason if they cannot be read. */
  async function borrow(requirement: Requirement): Promise<string | null> {
    asked.add(requirement.name)
    if (asked.size > mostDependencies) return `at most ${mostDependencies} dependencies are read`
    try {
      const other = await tree.dependency!(requirement, language)
      if (other === null) return null
      const [dependency] = findPackages(other.paths, [requirement.name])
      if (dependency?.language !== language) return 'it contains no source files that og reads'
      const described = dependency.manifest === null ? null : await other.read(dependency.manifest)
      const manifest = described === null ? null : new TextDecoder().decode(described)
      const isNested = language === 'typescript'
      const folder = isNested ? `node_modules/${requirement.name}/` : ''
      const paths = new Set<string>()
      const aside = manifest === null ? [] : exportedAside(dependency, manifest)
      for (const path of [...dependency.files, ...aside]) {
        const bytes = await other.read(path)
        // Declarations need the space more than scripts, which only add names.
        const isScript = /\.[cm]?jsx?$/.test(path)
        if (bytes === null || (isScript && bytes.length > left - mostBytes / 2)) continue
        left -= bytes.length
        if (left < 0) return `the dependencies of a package take at most ${mostBytes / 2 ** 20} MiB`
        const own = path.slice(dependency.root.length)
        paths.add(own)
        place.paths.add(folder + own)
        // Files that describe the package itself are its own.
        if (!requirement.isOptional) borrowed.add(root + folder + own)
        texts.set(root + folder + own, bytes)
        addresses.set(root + folder + own, other.addressOf(path))
      }
      if (!isEmpty) place.dependencies.set(requirement.name, { folder, paths, manifest })
      return null
    } catch (error) {
      if (!(error instanceof OgError)) throw error
      return reasonOf(error)
    }
  }
}
