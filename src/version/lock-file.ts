import type { ParseError } from 'jsonc-parser'
import { isRecord, isTooDeep, objectOf, parseJson } from '../platform/json.ts'
import { anyVersion, gradleBuild, gradleCatalog, gradleLock, mavenProject } from './jvm-project.ts'
import { parseRange } from './release.ts'

type PackageVersion = readonly [name: string, version: string]

export type LockFile = {
  name: string
  registry: 'npm' | 'pypi' | 'crates' | 'go' | 'maven' | 'rubygems' | 'packagist' | 'hex' | 'nuget'
  /** The file lists indirect dependencies too. */
  isLock?: true
  /** Larger files are not read. The limit is several times the size in the largest projects. */
  limitMb: number
  /** @throws if the text does not have the format that the file name indicates */
  parse(text: string, context: LockContext): Promise<PackageVersion[]> | PackageVersion[]
}

type LockContext = {
  /** The `/`-separated path from the file's folder to the current one. Empty if they are equal. */
  below: string
  ranges: ReadonlyMap<string, string>
}

/** The files with versions, in order of preference, starting with lock files. */
export const lockFiles: readonly LockFile[] = [
  { name: 'package-lock.json', registry: 'npm', isLock: true, limitMb: 32, parse: npmLock },
  { name: 'npm-shrinkwrap.json', registry: 'npm', isLock: true, limitMb: 32, parse: npmLock },
  { name: 'pnpm-lock.yaml', registry: 'npm', isLock: true, limitMb: 32, parse: pnpmLock },
  { name: 'yarn.lock', registry: 'npm', isLock: true, limitMb: 8, parse: yarnLock },
  { name: 'bun.lock', registry: 'npm', isLock: true, limitMb: 4, parse: bunLock },
  { name: 'package.json', registry: 'npm', limitMb: 2, parse: packageJsonVersions },
  { name: 'uv.lock', registry: 'pypi', isLock: true, limitMb: 6, parse: tomlLock },
  { name: 'poetry.lock', registry: 'pypi', isLock: true, limitMb: 6, parse: tomlLock },
  {
    name: 'requirements.txt',
    registry: 'pypi',
    limitMb: 2,
    parse: (text) => requirements(text.split(/\r?\n/)),
  },
  { name: 'pyproject.toml', registry: 'pypi', limitMb: 1, parse: pyproject },
  { name: 'Cargo.lock', registry: 'crates', isLock: true, limitMb: 6, parse: tomlLock },
  { name: 'Cargo.toml', registry: 'crates', limitMb: 1, parse: cargoToml },
  { name: 'go.mod', registry: 'go', limitMb: 1, parse: goMod },
  { name: 'Gemfile.lock', registry: 'rubygems', limitMb: 2, parse: gemfileLock },
  { name: 'composer.lock', registry: 'packagist', isLock: true, limitMb: 8, parse: composerLock },
  { name: 'composer.json', registry: 'packagist', limitMb: 1, parse: composerJson },
  { name: 'mix.lock', registry: 'hex', isLock: true, limitMb: 2, parse: mixLock },
  { name: 'mix.exs', registry: 'hex', limitMb: 1, parse: mixProject },
  { name: 'packages.lock.json', registry: 'nuget', limitMb: 4, parse: nugetLock },
  { name: 'pom.xml', registry: 'maven', limitMb: 2, parse: mavenProject },
  { name: 'gradle.lockfile', registry: 'maven', isLock: true, limitMb: 4, parse: gradleLock },
  {
    name: 'gradle/libs.versions.toml',
    registry: 'maven',
    limitMb: 1,
    parse: async (text) => gradleCatalog(await toml(text)),
  },
  { name: 'build.gradle', registry: 'maven', limitMb: 1, parse: gradleBuild },
  { name: 'build.gradle.kts', registry: 'maven', limitMb: 1, parse: gradleBuild },
]

/** Returns the versions in a file that og can use. @throws like `parse` */
export async function versionsIn(
  { parse }: Pick<LockFile, 'parse'>,
  text: string,
  context: LockContext,
): Promise<PackageVersion[]> {
  return usableVersions(await parse(text, context))
}

export function packageJson(text: string): PackageVersion[] {
  const content = json(text)
  const groups = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']
  return groups.flatMap((group) =>
    Object.entries(objectOf(content[group])).map(([name, range]) => [name, String(range)] as const),
  )
}

/** Ranges from a catalog are in a different file. A tag such as `latest` means any version. */
function packageJsonVersions(text: string): PackageVersion[] {
  const isAny = /^(?:catalog:.*|latest|next|)$/
  return packageJson(text).map(([name, range]) => [name, isAny.test(range) ? anyVersion : range])
}

type Json = Record<string, unknown>

function npmLock(text: string, { below }: LockContext): PackageVersion[] {
  const lock = json(text)
  const versions = new Map<string, string>()
  const add = (name: string, entry: unknown) => {
    const { version } = objectOf(entry)
    if (typeof version === 'string') versions.set(name, version)
  }
  // The old format, from npm before version 7.
  for (const [name, entry] of Object.entries(objectOf(lock.dependencies))) add(name, entry)
  const packages = Object.entries(objectOf(lock.packages))
  checkCount(packages)
  for (const folder of ['', ...(below === '' ? [] : [`${below}/`])]) {
    const start = `${folder}node_modules/`
    for (const [path, entry] of packages) {
      const name = path.startsWith(start) ? path.slice(start.length) : ''
      if (name !== '' && !name.includes('/node_modules/')) add(name, entry)
    }
  }
  return [...versions]
}

/** A line of YAML without its indentation: a key and its value, if any. */
const pnpmLine = /^'?([^':]+)'?:(?: +(\S.*))?$/

const maxImporters = 4 * 2 ** 20

/** Parses pnpm's YAML line by line for speed, because a query waits for it. */
function pnpmLock(text: string, { below }: LockContext): PackageVersion[] {
  if (!/^lockfileVersion:/m.test(text)) throw new Error('it has no lockfileVersion')
  const imports: { importer: string; named: PackageVersion }[] = []
  const path: string[] = []
  const packages = text.search(/^(packages|snapshots):/m)
  const end = packages < 0 ? text.length : packages
  if (end > maxImporters) throw new Error(`its importers are over ${maxImporters / 2 ** 20} MB`)
  for (const line of text.slice(0, end).split('\n')) {
    const plain = line.trim()
    const [, key, value] = pnpmLine.exec(plain) ?? []
    if (key === undefined) continue
    path.splice(line.indexOf(plain) / 2, Infinity, key)
    const inside = path[0] === 'importers' ? path.slice(2) : path
    const [group = '', name, field] = inside
    if (!/ependencies$/.test(group) || value === undefined || name === undefined) continue
    if (field !== undefined && field !== 'version') continue
    const [version = ''] = value.replace(/^'|'$/g, '').split(/[(_]/, 1)
    const importer = path[0] === 'importers' ? path[1]! : '.'
    imports.push({ importer, named: [name, version] })
  }
  const mine = (importer: string) => (importer === (below || '.') ? 0 : importer === '.' ? 1 : 2)
  imports.sort((a, b) => mine(a.importer) - mine(b.importer))
  return imports.map(({ named }) => named)
}

/** Reads both yarn formats. The version that package.json requests comes first. */
function yarnLock(text: string, { ranges }: LockContext): PackageVersion[] {
  const blocks = [...text.matchAll(/^(?!#|__metadata|\s)(.+):\r?\n\s+version:? "?([^"\s]+)"?/gm)]
  if (blocks.length === 0 && /\S/.test(text.replace(/^#.*$/gm, ''))) {
    throw new Error('it holds no packages')
  }
  const direct: PackageVersion[] = []
  const others: PackageVersion[] = []
  for (const [, heads = '', version = ''] of blocks) {
    for (const head of heads.split(/,\s*/, 100)) {
      const [, name, range] = /^"?(@?[^@"]+)@(?:npm:)?([^"]*)"?$/.exec(head) ?? []
      if (name === undefined) continue
      ;(ranges.get(name) === range ? direct : others).push([name, version])
    }
  }
  return [...direct, ...others]
}

/** Reads bun.lock, which is JSON with trailing commas. */
async function bunLock(text: string): Promise<PackageVersion[]> {
  const { parse } = await import('jsonc-parser')
  const errors: ParseError[] = []
  const lock: unknown = parse(shallow(text), errors, { allowTrailingComma: true })
  if (errors.length > 0) throw new Error('it is not valid JSON')
  return Object.entries(objectOf(objectOf(lock).packages)).flatMap(([name, entry]) => {
    const spec = Array.isArray(entry) ? String(entry[0]) : ''
    return spec.startsWith(`${name}@`) ? [[name, spec.slice(name.length + 1)] as const] : []
  })
}

async function tomlLock(text: string): Promise<PackageVersion[]> {
  const lock = await toml(text)
  const packages = Array.isArray(lock.package) ? lock.package.map(objectOf) : []
  return packages.map(({ name, version }) => [String(name), String(version)] as const)
}

async function pyproject(text: string): Promise<PackageVersion[]> {
  const { project, tool, 'dependency-groups': groups } = await toml(text)
  const { dependencies, 'optional-dependencies': optional } = objectOf(project)
  const lists = [
    dependencies,
    ...Object.values(objectOf(optional)),
    ...Object.values(objectOf(groups)),
  ]
  const poetry = Object.entries(objectOf(objectOf(objectOf(tool).poetry).dependencies))
  return [...requirementsIn(lists), ...poetry.map(tomlEntry)]
}

export async function pyprojectNames(text: string): Promise<{ own: string; dev: Set<string> }> {
  const { project, 'dependency-groups': groups } = await toml(text)
  const { name: own, dependencies, 'optional-dependencies': optional } = objectOf(project)
  const extras = Object.entries(objectOf(optional))
  const aside = extras.filter(([name]) => devExtra.test(name)).map(([, list]) => list)
  const named = extras.filter(([name]) => !devExtra.test(name)).map(([, list]) => list)
  const names = new Set(
    requirementsIn([...aside, ...Object.values(objectOf(groups))]).map(([name]) => name),
  )
  for (const [name] of requirementsIn([dependencies, ...named])) names.delete(name)
  return { own: String(own ?? ''), dev: names }
}

const devExtra = /^(?:dev|develop|development|tests?|testing|lint|typing|docs?|ci)$/i

function requirementsIn(lists: readonly unknown[]): PackageVersion[] {
  return requirements(lists.flat().filter((one) => typeof one === 'string'))
}

async function cargoToml(text: string): Promise<PackageVersion[]> {
  const { dependencies, dev } = await cargoTables(text)
  // Cargo's `1.2` means at least 1.2 and below 2.
  return [...dependencies, ...dev].map(([name, version]) => [name, version.replace(/^(?=\d)/, '^')])
}

export async function cargoNames(text: string): Promise<{ own: string; dev: Set<string> }> {
  const { own, dependencies, dev } = await cargoTables(text)
  const names = new Set(dev.map(([name]) => name))
  for (const [name] of dependencies) names.delete(name)
  return { own, dev: names }
}

async function cargoTables(text: string) {
  const { package: own, workspace, target, ...top } = await toml(text)
  const platforms = [top, ...Object.values(objectOf(target)).map(objectOf)]
  const entriesOf = (tables: unknown[]) =>
    tables.flatMap((table) => Object.entries(objectOf(table)).flatMap(cargoEntry))
  const shared = objectOf(workspace).dependencies
  return {
    own: String(objectOf(own).name ?? ''),
    dependencies: entriesOf([...platforms.map((it) => it.dependencies), shared]),
    dev: entriesOf(platforms.flatMap((it) => [it['dev-dependencies'], it['build-dependencies']])),
  }
}

/** Ignores crates in a folder of this project. `package` renames a crate. */
function cargoEntry([key, value]: [string, unknown]): PackageVersion[] {
  const { path, package: name } = objectOf(value)
  return path === undefined ? [tomlEntry([typeof name === 'string' ? name : key, value])] : []
}

/** Reads a TOML entry: `"1.2"` or a table with a `version`. */
function tomlEntry([name, value]: [string, unknown]): PackageVersion {
  return [name, String(typeof value === 'string' ? value : (objectOf(value).version ?? ''))]
}

const requirement = /^([a-z0-9][\w.-]*)\s*(?:\[[^\]]*\]\s*)?\(?([=<>~!][^)]*)\)?$/i

const bareRequirement = /^([a-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?$/i
const fileName = /\.(?:whl|zip|t?gz|bz2|txt|in)$/i

function requirements(lines: string[]): PackageVersion[] {
  return lines.flatMap((line) => {
    // The rest of the line may be a marker, a comment, a hash or a line continuation.
    const [plain = ''] = line.split(/[;#\\]|\s--/, 1)
    const [, bare] = bareRequirement.exec(plain.trim()) ?? []
    if (bare !== undefined) return fileName.test(bare) ? [] : [[bare, anyVersion] as const]
    const [, name, range = ''] = requirement.exec(plain.trim()) ?? []
    const [, exact] = /^===?\s*([^,*\s]+)$/.exec(range.trim()) ?? []
    return name === undefined ? [] : [[name, exact ?? range.trim()] as const]
  })
}

function goMod(text: string): PackageVersion[] {
  if (!/^module\s/m.test(text)) throw new Error('it names no module')
  return text.split('\n').flatMap((line) => {
    if (!line.includes('/')) return []
    const [first = '', ...rest] = line.trim().split(/\s+/, 3)
    const [name = '', version = ''] = first === 'require' ? rest : [first, ...rest]
    const [, host = ''] = /^([\w.~-]+)\/./.exec(name) ?? []
    const isNamed = host.slice(1, -1).includes('.') && /^v\d/.test(version)
    return isNamed ? [[name, version] as const] : []
  })
}

/** Returns the direct dependencies in a Gemfile.lock with their locked versions. */
function gemfileLock(text: string): PackageVersion[] {
  if (!/^GEM$/m.test(text)) throw new Error('it has no section GEM')
  const [, direct = ''] = text.split(/^DEPENDENCIES\r?\n/m, 2)
  const names = new Set(
    direct
      .split(/^\S/m, 1)[0]!
      .split('\n')
      .map((line) => /^ {2}([\w.-]+)/.exec(line)?.[1]),
  )
  const locked = [...text.matchAll(/^ {4}([\w.-]+) \((\d[\w.]*)(?:-[\w.-]+)?\)\r?$/gm)]
  const versions = locked.map(([, name, version]) => [name!, version!] as const)
  return versions.filter(([name]) => names.has(name))
}

function composerLock(text: string): PackageVersion[] {
  const { packages = [], 'packages-dev': others = [] } = json(text)
  const all = [packages, others].flatMap((list) => (Array.isArray(list) ? list.map(objectOf) : []))
  return all.map(({ name, version }) => [String(name), String(version)] as const)
}

/** Returns the packages that a composer.json requires, without PHP and its extensions. */
function composerJson(text: string): PackageVersion[] {
  const content = json(text)
  const groups = [content.require, content['require-dev']]
  const all = groups.flatMap((group) => Object.entries(objectOf(group)))
  const packages = all.filter(([name]) => name.includes('/'))
  return packages.map(([name, range]) => [name, String(range)] as const)
}

function mixLock(text: string): PackageVersion[] {
  const lines = text.matchAll(/^[ \t]*"[^"\n]+": \{:hex, :(\w+), "([^"\n]+)"/gm)
  return Array.from(lines, ([, name, version]) => [name!, version!] as const)
}

/** Returns the dependencies with a plain range in a mix.exs, which is code. */
function mixProject(text: string): PackageVersion[] {
  const entries = text.matchAll(/\{\s*:(\w+),\s*"([^"\n]+)"/g)
  // Hex accepts npm's ranges and the word `and`.
  return Array.from(entries, ([, name, range]) => [name!, range!.replaceAll(' and ', ' ')] as const)
}

function nugetLock(text: string): PackageVersion[] {
  const frameworks = Object.values(objectOf(json(text).dependencies)).map(objectOf)
  const entries = frameworks.flatMap((it) => Object.entries(it))
  const direct = entries.filter(([, entry]) => objectOf(entry).type === 'Direct')
  return direct.map(([name, entry]) => [name, String(objectOf(entry).resolved)] as const)
}

const maxNames = 100_000
const maxRanges = 2_000

function checkCount(versions: readonly unknown[]): void {
  if (versions.length > maxNames) throw new Error(`it names more than ${maxNames} packages`)
}

function usableVersions(versions: readonly PackageVersion[]): PackageVersion[] {
  checkCount(versions)
  const named = versions.filter(([name]) => /^[@\w][\w@./:~-]{0,200}$/.test(name))
  const isPlain = (version: string) => /^v?\d[\w.+-]{0,99}$/.test(version)
  const ranges = new Set(
    named
      .map(([, version]) => version)
      .filter((text) => !isPlain(text) && /^[\w.+~^<>=!|*, -]{1,100}$/.test(text)),
  )
  if (ranges.size > maxRanges) throw new Error(`it has more than ${maxRanges} ranges of versions`)
  for (const range of ranges) if (parseRange(range) === null) ranges.delete(range)
  return named.filter(([, version]) => isPlain(version) || ranges.has(version))
}

function json(text: string): Json {
  const content = parseJson(text)
  if (!isRecord(content)) throw new Error('it is not a JSON object')
  return content
}

export async function toml(text: string): Promise<Json> {
  const { parse } = await import('smol-toml')
  return parse(shallow(text.replace(/^\uFEFF/, ''))) as Json
}

function shallow(text: string): string {
  if (isTooDeep(text)) throw new Error('its brackets are nested too deeply')
  return text
}
