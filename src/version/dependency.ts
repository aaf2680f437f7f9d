import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gradleTestNames } from './jvm-project.ts'
import { pyprojectDevNames } from './lock-file.ts'
import { readProjectPins, type Pin, type ProjectPins } from './project.ts'

/** A direct dependency of a project, in the version from its lock file. */
export type Dependency = {
  /** The name as spelled in the manifest. */
  name: string
  registry: 'npm' | 'pypi' | 'crates' | 'go' | 'maven' | 'rubygems' | 'packagist' | 'hex' | 'nuget'
  /** A version, or the range in the manifest if no lock file has one; `*` is any. */
  named: string
  /** The file that contains the version, relative to the folder. */
  file: string
  /** True if the manifest marks it as needed only for building and testing. */
  isDev: boolean
}

const manifests: Readonly<Record<string, Dependency['registry']>> = {
  'package.json': 'npm',
  'pyproject.toml': 'pypi',
  'requirements.txt': 'pypi',
  'Cargo.toml': 'crates',
  'go.mod': 'go',
  'Gemfile.lock': 'rubygems',
  'composer.json': 'packagist',
  'mix.exs': 'hex',
  'packages.lock.json': 'nuget',
  'pom.xml': 'maven',
  'libs.versions.toml': 'maven',
  'build.gradle': 'maven',
  'build.gradle.kts': 'maven',
}

const locks: Readonly<Record<string, Dependency['registry']>> = {
  ...manifests,
  'package-lock.json': 'npm',
  'npm-shrinkwrap.json': 'npm',
  'pnpm-lock.yaml': 'npm',
  'yarn.lock': 'npm',
  'bun.lock': 'npm',
  'uv.lock': 'pypi',
  'poetry.lock': 'pypi',
  'Cargo.lock': 'crates',
  'composer.lock': 'packagist',
  'mix.lock': 'hex',
  'gradle.lockfile': 'maven',
}

/** Returns the direct dependencies of a project from its manifests. */
export async function readDependencies(
  folder: string,
  home: string,
): Promise<{ dependencies: Dependency[]; warnings: readonly string[] }> {
  const project = await readProjectPins(folder, home)
  const pinned = firstPins(project)
  const asides = new Map<string, Aside>()
  const dependencies = new Map<string, Dependency>()
  for (const { package: name, file } of project.pins) {
    const registry = manifests[basename(file)]
    const key = keyOf(registry, name)
    // Poetry lists the Python language itself among the dependencies.
    if (registry === undefined || key === 'pypi:python' || dependencies.has(key)) continue
    const aside = asides.get(file) ?? (await asideOf(join(folder, file)))
    asides.set(file, aside)
    if (aside.indirect.has(name)) continue
    const pin = pinned.get(key)!
    dependencies.set(key, {
      name,
      registry,
      named: pin.named,
      file: pin.file,
      isDev: aside.dev.has(name),
    })
  }
  return { dependencies: [...dependencies.values()], warnings: project.warnings }
}

/** Returns the pin of each package; a lock file takes precedence over its manifest. */
function firstPins({ pins }: ProjectPins): Map<string, Pin> {
  const first = new Map<string, Pin>()
  for (const pin of pins) {
    const key = keyOf(locks[basename(pin.file)], pin.package)
    if (!first.has(key)) first.set(key, pin)
  }
  return first
}

function keyOf(registry: Dependency['registry'] | undefined, name: string): string {
  return `${registry}:${name.toLowerCase().replace(/[-_.]+/g, '-')}`
}

type Aside = { dev: ReadonlySet<string>; indirect: ReadonlySet<string> }

/** The manifests that mark packages as indirect or as needed only for tests. */
const annotated =
  /(?:package\.json|pyproject\.toml|go\.mod|composer\.json|mix\.exs|pom\.xml|\.gradle(?:\.kts)?)$/

/** Returns the names in a manifest that are only for development or are indirect. */
async function asideOf(path: string): Promise<Aside> {
  const none: Aside = { dev: new Set(), indirect: new Set() }
  if (!annotated.test(path)) return none
  // The file is readable, because it was parsed a moment ago.
  const text = await readFile(path, 'utf8')
  if (path.endsWith('go.mod')) {
    const lines = text.matchAll(/^[ \t]*(?:require[ \t]+)?(\S+)[ \t]+v\S+[ \t]*\/\/ indirect/gm)
    return { ...none, indirect: new Set(Array.from(lines, ([, name]) => name!)) }
  }
  if (path.endsWith('mix.exs')) {
    const lines = text.matchAll(/\{\s*:(\w+),[^{}\n]*\bonly:\s*\[?:(?:dev|test)\b/g)
    return { ...none, dev: new Set(Array.from(lines, ([, name]) => name!)) }
  }
  if (/\.gradle(\.kts)?$/.test(path)) return { ...none, dev: gradleTestNames(text) }
  if (path.endsWith('pom.xml')) {
    const blocks = text.split('<dependency>').slice(1)
    const tests = blocks.map((it) => it.split('</dependency>', 1)[0]!)
    const field = (block: string, name: string) =>
      new RegExp(`<${name}>\\s*([^<>\\s]+)`).exec(block)?.[1] ?? ''
    const dev = tests
      .filter((block) => field(block, 'scope') === 'test')
      .map((block) => `${field(block, 'groupId')}:${field(block, 'artifactId')}`)
    return { ...none, dev: new Set(dev) }
  }
  if (path.endsWith('composer.json')) {
    const { 'require-dev': others } = JSON.parse(text.replace(/^\uFEFF/, ''))
    return { ...none, dev: new Set(Object.keys(others ?? {})) }
  }
  if (path.endsWith('.toml')) return { ...none, dev: await pyprojectDevNames(text) }
  const { devDependencies = {} } = JSON.parse(text.replace(/^\uFEFF/, ''))
  return { ...none, dev: new Set(Object.keys(devDependencies ?? {})) }
}
