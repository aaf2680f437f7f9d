import { plainPackageName } from '../../version/package-name.ts'
import { programmingLanguageOf, type LanguageName } from '../../api/language.ts'
import { parseJsonOrUndefined } from '../../platform/json.ts'
import { parentFolder } from '../../sites/site-path.ts'
import { isExcludedFolder } from '../select/select.ts'

/** A package whose source files are in a source. */
export type ApiPackage = {
  language: LanguageName
  name: string
  /** The folder from which its modules are imported, with a trailing `/`; empty for the top. */
  root: string
  /** The folder of the package below `root`, for Rust, where `root` also contains other crates. */
  folder?: string
  /** Its source files, as paths relative to the top of the source. */
  files: string[]
  /**
   * Its source files in folders of tests, examples and the like. They are read if `exports` in its
   * package.json refers to the folder.
   */
  aside?: string[]
  /** The file that describes the package, such as package.json, or null. */
  manifest: string | null
}

/**
 * Returns the packages among a source's files, without files of tests, examples and tools.
 * @param names names of the source; only packages with one of these names are used
 */
export function findPackages(paths: readonly string[], names: readonly string[]): ApiPackage[] {
  const packages = [
    ...pythonPackages(paths),
    ...npmPackages(paths, names),
    ...goModules(paths),
    ...crates(paths, names),
    ...javaModules(paths, names),
    ...projects.flatMap((project) => projectPackages(project, paths, names)),
  ]
  const plainNames = names.map(plainName)
  const isNamed = ({ name, language, isSure }: Candidate) => {
    const plain = plainName(name)
    // A NuGet package is often published together with others: `Polly` and `Polly.Core`.
    const isPart = language === 'csharp' && isSure
    return plainNames.some((it) => plain === it || (isPart && plain.startsWith(`${it}-`)))
  }
  const matches = packages.filter(isNamed)
  const chosen = matches.length > 0 ? matches : packages.filter(({ isSure }) => isSure)
  // Packages in other languages contain headers too, which their users do not include.
  return chosen.length > 0 ? chosen : headerPackages(paths, names)
}

/** `isSure` means that the files around the package show that it is published. */
type Candidate = ApiPackage & { isSure: boolean }

const manifests = ['pyproject.toml', 'setup.py', 'setup.cfg', 'PKG-INFO']
/** Folders, relative to the manifest, in which Python projects keep their packages. */
const sourceFolders = ['', 'src/', 'lib/', 'python/']

/**
 * Finds all files of a wheel or of an installed distribution. Elsewhere, finds a folder with
 * `__init__.py` in a folder without one, or a single module next to its metadata.
 */
function pythonPackages(paths: readonly string[]): Candidate[] {
  const all = new Set(paths)
  const metadata = paths.find((path) => /^[^/]+\.dist-info\/METADATA$/.test(path))
  const code = paths.filter((path) => programmingLanguageOf(path) === 'python')
  const isAside = asideOfPython(code, metadata !== undefined)
  const files = code.filter((path) => !isAside(path))
  if (metadata !== undefined) {
    const name = metadata.replace(/-[^-]*\.dist-info.*$/, '').replaceAll('-', '_')
    const isSure = files.length > 0
    return [{ language: 'python', name, root: '', files, manifest: metadata, isSure }]
  }
  const folders = new Set(
    files.filter((path) => /(^|\/)__init__\.pyi?$/.test(path)).map(parentFolder),
  )
  const tops = [...folders].filter((folder) => folder !== '' && !folders.has(parentFolder(folder)))
  const isSure = (root: string) =>
    sourceFolders.some(
      (folder) =>
        root.endsWith(folder) && hasManifest(root.slice(0, root.length - folder.length), all),
    )
  const filesBelow = pathsBelow(files)
  const manifest = all.has('PKG-INFO') ? 'PKG-INFO' : null
  const packages = tops.map((folder): Candidate => {
    const name = folder.slice(folder.lastIndexOf('/') + 1)
    const root = folder.slice(0, folder.length - name.length)
    return {
      language: 'python',
      name,
      root,
      isSure: isSure(root),
      manifest,
      files: filesBelow(`${folder}/`),
    }
  })
  const modules = files
    .filter((path) => !folders.has(parentFolder(path)) && !/\/?setup\.py$/.test(path))
    .filter((path) => isSure(rootOf(path)))
    .map(
      (path): Candidate => ({
        language: 'python',
        name: path.replace(/^.*\//, '').replace(/\.pyi?$/, ''),
        root: rootOf(path),
        files: [path],
        manifest: null,
        isSure: false,
      }),
    )
  return [...packages, ...modules]
}

/** Finds folders with go.mod. A file belongs to the innermost module that contains it. */
function goModules(paths: readonly string[]): Candidate[] {
  const own = paths.filter((path) => !asideOfGo.test(path))
  const roots = new Set(own.filter((path) => /(^|\/)go\.mod$/.test(path)).map(rootOf))
  const files = own.filter((path) => programmingLanguageOf(path) === 'go')
  const byRoot = Map.groupBy(files, (path) => innermost(path, roots))
  return [...roots].map((root) => ({
    language: 'go',
    name: root.slice(0, -1).replace(/^.*\//, '').replace(/@.*$/, ''),
    root,
    files: byRoot.get(root) ?? [],
    manifest: null,
    isSure: true,
  }))
}

/**
 * Finds folders with Cargo.toml and `src/`. A crate often re-exports names from neighbouring crates
 * whose names begin with its own (`serde_core`), so their files belong to it too.
 */
function crates(paths: readonly string[], [name = '']: readonly string[]): Candidate[] {
  const own = paths.filter((path) => !isAsideOfCode(path))
  const roots = new Set(own.filter((path) => /(^|\/)Cargo\.toml$/.test(path)).map(rootOf))
  const files = own.filter((path) => /(^|\/)src\/.*\.rs$/.test(path))
  const byRoot = Map.groupBy(files, (path) => innermost(path, roots))
  // `#[doc = include_str!("…")]` may include these files.
  const texts = Map.groupBy(
    paths.filter((path) => /(?:^|\/)(?:src|docs?)\/.*\.md$/.test(path)),
    (path) => innermost(path, roots),
  )
  const textsOf = (root: string) => (texts.get(root) ?? []).slice(0, mostTexts)
  const ancestors = [...roots].filter((root) => byRoot.has(root))
  const topName = withoutVersion(name)
  const nameOf = (root: string) => (root === '' ? topName : root.slice(0, -1).replace(/^.*\//, ''))
  const relatives = new Map<string, string[]>()
  for (const root of ancestors) {
    for (const start of beginningsOf(nameOf(root))) {
      const known = relatives.get(start) ?? []
      if (known.length < mostRelatives) relatives.set(start, [...known, root])
    }
  }
  const besideOf = (root: string) =>
    (relatives.get(plainName(nameOf(root))) ?? []).filter((it) => it !== root)
  const parts = new Set(ancestors.flatMap(besideOf))
  return ancestors.map((root) => {
    const crateName = nameOf(root)
    const beside = besideOf(root)
    return {
      language: 'rust',
      name: crateName,
      root: '',
      folder: root,
      files: [root, ...beside].flatMap((it) => [...byRoot.get(it)!, ...textsOf(it)]),
      manifest: `${root}Cargo.toml`,
      isSure: !parts.has(root) && !/[-_](?:macros?|derive|tests?|bench)$/.test(crateName),
    }
  })
}

/** Finds folders with `src/main/java/`, and source archives with META-INF at the top. */
function javaModules(paths: readonly string[], [name = '']: readonly string[]): Candidate[] {
  const files = paths.filter((path) => path.endsWith('.java') && !/(^|\/)module-info\./.test(path))
  const isJar = paths.some((path) => /^META-INF\/MANIFEST\.MF$/i.test(path))
  const main = /^(.*?)(?:src\/(?:main|commonMain|jvmMain)\/java\/)/
  const byRoot = Map.groupBy(files, (path) => (isJar ? '' : (main.exec(path)?.[0] ?? null)))
  return [...byRoot].flatMap(([root, own]): Candidate[] => {
    if (root === null) return []
    const folder = (main.exec(root)?.[1] ?? '').slice(0, -1)
    const moduleName = folder.replace(/^.*\//, '') || name
    const isSure = !folder.split('/').some((part) => asideOfJava.test(part))
    return [{ language: 'java', name: moduleName, root, files: own, manifest: null, isSure }]
  })
}

const asideOfJava =
  /(?:^|[-_])(?:tests?|testing|examples?|samples?|demos?|benchmarks?|jmh|it)(?:$|[-_])/i
/** Matches `Acme.Tests` and `AcmeTests`, but not the published `Acme.Testing`. */
const asideOfProject =
  /(?:^|[-_.])(?:[Tt]ests?|[Ee]xamples?|[Ss]amples?|[Dd]emos?|[Bb]ench\w*)(?:$|[-_.])|[a-z]Tests?$/

/** A build tool whose projects are folders with a manifest. */
type Project = {
  language: LanguageName
  manifest: RegExp
  /** Matches source files by their path below the manifest's folder. */
  sources: RegExp
  /** The file with the package's name that identifies a package without a manifest. */
  main?: `${string}*${string}`
}

const projects: readonly Project[] = [
  { language: 'elixir', manifest: /(?:^|\/)mix\.exs$/, sources: /^lib\/.*\.ex$/ },
  { language: 'csharp', manifest: /\.csproj$/, sources: /\.cs$/ },
  { language: 'ruby', manifest: /\.gemspec$/, sources: /^lib\/.*\.rb$/, main: 'lib/*.rb' },
  { language: 'php', manifest: /(?:^|\/)composer\.json$/, sources: /\.php$/ },
]

/** Finds projects of a build tool. A source file belongs to the innermost project around it. */
function projectPackages(
  { language, manifest, sources, main }: Project,
  paths: readonly string[],
  [name = '']: readonly string[],
): Candidate[] {
  const own = paths.filter((path) => !isAsideOfCode(path) && !isForeign(path))
  const roots = new Set(own.filter((path) => manifest.test(path)).map(rootOf))
  const plain = withoutVersion(name)
  const mains = [plain, plain.replaceAll('-', '/')].map((it) => main?.replace('*', it))
  if (own.some((path) => mains.includes(path))) roots.add('')
  const code = own.filter((path) => programmingLanguageOf(path) === language)
  const byRoot = Map.groupBy(code, (path) => innermost(path, roots))
  return [...roots].map((root) => ({
    language,
    name: root === '' ? name : root.slice(0, -1).replace(/^.*\//, ''),
    root,
    files: (byRoot.get(root) ?? []).filter((path) => sources.test(path.slice(root.length))),
    manifest: null,
    isSure: !root.split('/').some((part) => asideOfProject.test(part)),
  }))
}

/** Finds the headers in the topmost folder named `include`, or all headers without one. */
function headerPackages(paths: readonly string[], [name = '']: readonly string[]): ApiPackage[] {
  const headers = paths.filter(
    (path) => programmingLanguageOf(path) === 'c' && !isAsideOfCode(path) && !isForeign(path),
  )
  const roots = headers.flatMap((path) => /^(?:.*?\/)?include\//.exec(path)?.[0] ?? [])
  const root = roots.toSorted((a, b) => a.length - b.length)[0] ?? ''
  const files = headers.filter((path) => path.startsWith(root))
  return files.length === 0 ? [] : [{ language: 'c', name, root, files, manifest: null }]
}

/** True if a folder in the path contains code of other projects or of the build. */
function isForeign(path: string): boolean {
  return /(?:^|\/)(?:deps|contrib|vendor|third[-_]?party|extern(?:al)?|build|cmake)\//i.test(path)
}

/** Strips the version from an archive name such as `serde-1.0.229.tar.gz`. */
function withoutVersion(name: string): string {
  return name.replace(/-v?\d+\.\d.*$/, '')
}

const mostRelatives = 20
/** Maximum number of text files in one crate. */
const mostTexts = 500

/** Returns `tokio` and `tokio-stream` for `tokio-stream-ext`. */
function beginningsOf(name: string): string[] {
  const parts = plainName(name).split('-')
  return parts.slice(1, mostParts).map((_, at) => parts.slice(0, at + 1).join('-'))
}

const mostParts = 10

/** Returns the innermost of these folders that contains a file, or null. */
function innermost(path: string, folders: ReadonlySet<string>): string | null {
  for (let folder = rootOf(path); ; folder = rootOf(folder.slice(0, -1))) {
    if (folders.has(folder)) return folder
    if (folder === '') return null
  }
}

function pathsBelow(paths: readonly string[]): (folder: string) => string[] {
  const sorted = paths.toSorted()
  return (folder) => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sorted[middle]! < folder) low = middle + 1
      else high = middle
    }
    let end = low
    while (end < sorted.length && sorted[end]!.startsWith(folder)) end++
    return sorted.slice(low, end)
  }
}

/** In Go, folders named `doc` and `tools` can be packages. */
const asideOfGo = /(^|\/)(?:testdata|vendor|node_modules|_?examples?|\.[^/]*)\//

/**
 * Finds folders with package.json and all files below them, including further package.json files
 * that builds write there. The files that the package lists are parsed.
 */
function npmPackages(paths: readonly string[], [name = '']: readonly string[]): Candidate[] {
  const code = paths.filter((path) => programmingLanguageOf(path) === 'typescript')
  const roots = paths
    .filter((path) => /(^|\/)package\.json$/.test(path) && !isAsideOfCode(path))
    .map(rootOf)
  const codeBelow = pathsBelow(code.filter((path) => !isAsideOfCode(path)))
  const asideBelow = pathsBelow(code.filter(isAsideOfCode))
  return roots.map((root) => ({
    language: 'typescript',
    name: root === '' ? name : root.slice(0, -1).replace(/^.*\//, ''),
    root,
    files: codeBelow(root),
    aside: asideBelow(root),
    manifest: `${root}package.json`,
    isSure: root === '',
  }))
}

/** Returns files in folders of tests, examples and the like to which package.json refers. */
export function exportedAside({ root, aside = [] }: ApiPackage, manifest: string): string[] {
  const { exports, imports, types, main } = (parseJsonOrUndefined(manifest) ?? {}) as Manifest
  const entries = JSON.stringify([exports, imports, types, main])
  const isNamed = (path: string) => {
    const folders = path.slice(root.length).split('/').slice(0, -1)
    const at = folders.findIndex((folder) => asideOfCode.test(folder))
    const folder = `${folders.slice(0, at + 1).join('/')}/`
    return (
      !folders.some(isExcludedFolder) &&
      new RegExp(`"(\\./)?${RegExp.escape(folder)}`).test(entries)
    )
  }
  return aside.filter(isNamed)
}

type Manifest = { exports?: unknown; imports?: unknown; types?: unknown; main?: unknown }

function isAsideOfCode(path: string): boolean {
  const folders = path.split('/').slice(0, -1)
  return folders.some((folder) => isExcludedFolder(folder) || asideOfCode.test(folder))
}

const asideOfCode =
  /^(?:_*tests?_*|testdata|fixtures?|docs?|website|examples?|samples?|bench\w*|playgrounds?|e2e)$/i

function hasManifest(folder: string, all: ReadonlySet<string>): boolean {
  return manifests.some((name) => all.has(folder + name))
}

function rootOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

/** Returns the same text for `Foo-Bar`, `foo_bar` and `python-foo-bar`. */
function plainName(name: string): string {
  return plainPackageName(name).replace(/^python-|-python$|\.git$/g, '')
}

/**
 * Returns a test for Python files in folders of tests, tools and the like. Inside a package,
 * folders with such names are modules (`django.test`, `fastmcp.tools`) unless they contain tests.
 * @param isWheel all folders of a wheel can be imported
 */
function asideOfPython(code: readonly string[], isWheel: boolean): (path: string) => boolean {
  const packages = new Set(
    code.filter((path) => /(^|\/)__init__\.pyi?$/.test(path)).map(parentFolder),
  )
  const tests = code.filter((path) => /(^|\/)(?:test_[^/]*|[^/]*_test|conftest)\.py$/.test(path))
  const withTests = new Set(tests.flatMap(foldersOf))
  const isModule = (folder: string) =>
    (isWheel ? folder.includes('/') : packages.has(parentFolder(folder))) &&
    packages.has(folder) &&
    !withTests.has(folder)
  return (path) =>
    foldersOf(path).some((folder) => {
      const name = folder.slice(folder.lastIndexOf('/') + 1)
      if (isExcludedFolder(name) || asideInPackage.test(name)) return true
      return aside.test(name) && !isModule(folder)
    })
}

/** Returns the folders that contain a file, outermost first. */
function foldersOf(path: string): string[] {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))
}

const asideInPackage = /^(?:_*tests_*|testdata|fixtures?|vendor|_vendor|third_party)$/i

const aside = new RegExp(
  '^(?:_*tests?_*|testing_?data|testdata|fixtures?|docs?|docs?_src|documentation|samples?' +
    '|examples?|benchmarks?|scripts?|tools?|ci|tutorials?|vendor|_vendor|third_party|build' +
    '|dist|e2e)$',
  'i',
)
