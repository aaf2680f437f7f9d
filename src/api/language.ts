import type { ApiModule } from './link/link.ts'
import { includedHeaders, publicHeaders, resolveHeaders } from './link/c-headers.ts'
import { resolveGoPackages } from './link/go-module.ts'
import { resolveJavaPackages } from './link/java-module.ts'
import type { Needs, PackageSource } from './link/dependency.ts'
import { npmEntryFiles } from './link/npm-entries.ts'
import { npmNeeds, npmReexportSources, resolveNpmModules } from './link/npm-package.ts'
import { isPublicPythonName, pythonNeeds, resolvePythonModules } from './link/python-package.ts'
import { resolveNamespaces } from './link/namespaces.ts'
import { missingMacros } from './link/rust-macros.ts'
import { resolveRustModules, rustEntryFiles, rustReferencedFiles } from './link/rust-crate.ts'
import type { ApiStyle } from './render.ts'
import { includeRustTexts } from './rust/rust-include.ts'
import type { FileOutline } from './symbol.ts'

/** A programming language for the API reference. */
export type Language = {
  /** Lower case, with a dot. */
  extensions: readonly string[]
  /** Loads the parser. Only the sandbox process may call it. */
  load(): Promise<(text: string) => FileOutline>
  /**
   * Returns the public modules of a package.
   * @param outlines outlines by path relative to the package folder
   */
  link(
    outlines: ReadonlyMap<string, FileOutline>,
    place: PackageSource,
    style: ApiStyle,
  ): ApiModule[]
  /**
   * Selects the files to read: files that users import, and files that these depend on. Without
   * `reach`, all files are read.
   */
  reach?: {
    entries(place: PackageSource): Iterable<string>
    references(path: string, outline: FileOutline, place: PackageSource): string[]
    /** Returns the files and packages that declare re-exported names. */
    needs?(outlines: ReadonlyMap<string, FileOutline>, place: PackageSource): Needs
    /** Returns text to append to files, by path. These files are then parsed again. */
    additions?(outlines: ReadonlyMap<string, FileOutline>): Map<string, string>
  }
  style: ApiStyle
  /** Inserts the text of other files. `textOf` takes a path relative to the source file. */
  include?(outline: FileOutline, textOf: (path: string) => string | null): FileOutline
}

const rubyMarks = { method: '#', property: '#', function: '.' }

const table = {
  python: {
    extensions: ['.py', '.pyi'],
    load: async () => (await import('./python/python.ts')).outlinePython,
    link: resolvePythonModules,
    reach: { entries: ({ paths }) => paths, references: () => [], needs: pythonNeeds },
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
    reach: {
      entries: (place) => npmEntryFiles(place).values(),
      references: npmReexportSources,
      needs: npmNeeds,
    },
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
    load: async () => (await import('./grammar/grammar.ts')).loadGrammar('java'),
    link: (outlines, { pathOf }) => resolveJavaPackages(outlines, pathOf),
    style: { fence: 'java', separator: '.', isTypeFirst: true, isShown: () => true },
  },
  rust: {
    extensions: ['.rs'],
    load: async () => (await import('./rust/rust.ts')).outlineRust,
    link: resolveRustModules,
    reach: { entries: rustEntryFiles, references: rustReferencedFiles, additions: missingMacros },
    style: { fence: 'rust', separator: '::', isShown: () => true },
    include: includeRustTexts,
  },
  c: {
    extensions: ['.h'],
    load: async () => (await import('./grammar/grammar.ts')).loadGrammar('c'),
    link: resolveHeaders,
    reach: { entries: publicHeaders, references: includedHeaders },
    style: { fence: 'c', separator: '.', isTypeFirst: true, isShown: () => true },
  },
  elixir: {
    extensions: ['.ex'],
    load: async () => (await import('./grammar/grammar.ts')).loadGrammar('elixir'),
    link: resolveNamespaces,
    style: { fence: 'elixir', separator: '.', isShown: () => true },
  },
  csharp: {
    extensions: ['.cs'],
    load: async () => (await import('./grammar/grammar.ts')).loadGrammar('csharp'),
    link: resolveNamespaces,
    style: { fence: 'csharp', separator: '.', isTypeFirst: true, isShown: () => true },
  },
  ruby: {
    extensions: ['.rb'],
    load: async () => (await import('./grammar/grammar.ts')).loadGrammar('ruby'),
    link: resolveNamespaces,
    style: {
      fence: 'ruby',
      separator: '::',
      inModule: rubyMarks,
      inClass: rubyMarks,
      isTypeFirst: true,
      isShown: () => true,
    },
  },
  php: {
    extensions: ['.php'],
    load: async () => (await import('./grammar/grammar.ts')).loadGrammar('php'),
    link: resolveNamespaces,
    style: {
      fence: 'php',
      separator: '\\',
      inClass: { method: '::', property: '::', value: '::' },
      isTypeFirst: true,
      isShown: () => true,
    },
  },
} satisfies Record<string, Language>

export type LanguageName = keyof typeof table

export const languages: Readonly<Record<LanguageName, Language>> = table

/** Special methods that are documented. */
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

/** Returns the language for a file's extension, or null. */
export function programmingLanguageOf(path: string): LanguageName | null {
  const extension = /\.[^./]+$/.exec(path)?.[0].toLowerCase()
  return byExtension.get(extension ?? '') ?? null
}

const byExtension = new Map(
  (Object.entries(languages) as [LanguageName, Language][]).flatMap(([name, { extensions }]) =>
    extensions.map((extension) => [extension, name] as const),
  ),
)
