import type { ApiModule } from './link/link.ts'
import { resolveGoPackages } from './link/go-module.ts'
import { resolveJavaPackages } from './link/java-module.ts'
import { resolveNpmModules, npmEntryFiles, npmReexportSources } from './link/npm-package.ts'
import { isPublicPythonName, resolvePythonModules } from './link/python-package.ts'
import { resolveRustModules, rustEntryFiles, rustReferencedFiles } from './link/rust-crate.ts'
import type { ApiStyle } from './render.ts'
import type { FileOutline } from './symbol.ts'

/** A programming language whose files are read for the API reference. */
export type Language = {
  /** Lower case, with their dot. */
  extensions: readonly string[]
  /** Loads the parser, which only the sandbox process does. */
  load(): Promise<(text: string) => FileOutline>
  /**
   * The public modules of a package.
   * @param outlines by the path below the folder of the package
   */
  link(outlines: ReadonlyMap<string, FileOutline>, place: PackageSource): ApiModule[]
  /** The files that users import, and those from which a file takes names; absent: all files. */
  reach?: {
    entries(place: PackageSource): Iterable<string>
    references(path: string, outline: FileOutline, place: PackageSource): string[]
  }
  style: ApiStyle
}

/** The folder and name of a package in its source. */
export type PackageSource = {
  name: string
  /** Its folder below the folder from which paths count, with its `/`; empty: that folder. */
  folder: string
  /** The text of the file that describes it, as package.json; null: there is none. */
  manifest: string | null
  /** Its source files, below its folder. */
  paths: ReadonlySet<string>
  /** From the path below the folder of the package to the path below the top of the source. */
  pathOf(path: string): string
}

const table = {
  python: {
    extensions: ['.py', '.pyi'],
    load: async () => (await import('./python/python.ts')).outlinePython,
    link: (outlines, { pathOf }) => resolvePythonModules(outlines, pathOf),
    style: {
      fence: 'python',
      separator: '.',
      isShown: ({ name, documentation }) =>
        isPublicPythonName(name) || (documentation !== '' && shownDunders.has(name)),
    },
  },
  typescript: {
    extensions: ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'],
    load: async () => (await import('./typescript/typescript.ts')).outlineTypeScript,
    link: resolveNpmModules,
    reach: { entries: (place) => npmEntryFiles(place).values(), references: npmReexportSources },
    style: { fence: 'typescript', separator: '.', isShown: ({ name }) => !/^[_~]/.test(name) },
  },
  go: {
    extensions: ['.go'],
    load: async () => (await import('./go/go.ts')).outlineGo,
    link: (outlines, { pathOf }) => resolveGoPackages(outlines, pathOf),
    style: { fence: 'go', separator: '.', isShown: () => true },
  },
  java: {
    extensions: ['.java'],
    load: async () => (await import('./java/java.ts')).outlineJava,
    link: (outlines, { pathOf }) => resolveJavaPackages(outlines, pathOf),
    style: { fence: 'java', separator: '.', isTypeFirst: true, isShown: () => true },
  },
  rust: {
    extensions: ['.rs'],
    load: async () => (await import('./rust/rust.ts')).outlineRust,
    link: resolveRustModules,
    reach: { entries: rustEntryFiles, references: rustReferencedFiles },
    style: { fence: 'rust', separator: '::', isShown: () => true },
  },
} satisfies Record<string, Language>

export type LanguageName = keyof typeof table

export const languages: Readonly<Record<LanguageName, Language>> = table

/** Special methods that a user has to know of. */
const shownDunders = new Set([
  '__call__',
  '__getitem__',
  '__setitem__',
  '__enter__',
  '__aenter__',
  '__iter__',
  '__aiter__',
  '__await__',
  '__contains__',
  '__or__',
  '__getattr__',
])

/** The language of a source file, by its extension; null: it is none that is read. */
export function programmingLanguageOf(path: string): LanguageName | null {
  const extension = /\.[^./]+$/.exec(path)?.[0].toLowerCase()
  return byExtension.get(extension ?? '') ?? null
}

const byExtension = new Map(
  (Object.entries(languages) as [LanguageName, Language][]).flatMap(([name, { extensions }]) =>
    extensions.map((extension) => [extension, name] as const),
  ),
)
