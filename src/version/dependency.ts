import { plainPackageName } from './package-name.ts'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gradleTestNames } from './jvm-project.ts'
import { cargoNames, lockFiles, pyprojectNames, type LockFile } from './lock-file.ts'
import { preferredPin } from './pinned-version.ts'
import { readMemberPins, readProjectPins } from './project.ts'

/** A project's direct dependency with the version from its lock file. */
export type Dependency = {
  name: string
  registry: LockFile['registry']
  /** A version, or the manifest's range if no lock file has a version. `*` is any version. */
  named: string
  /** The file that contains the version, relative to the folder. */
  file: string
  /** True if the manifest marks it as needed only for building or testing. */
  isDev: boolean
}

const filesByName = new Map(lockFiles.map((file) => [basename(file.name), file]))

export async function readDependencies(
  folder: string,
  home: string,
): Promise<{ dependencies: Dependency[]; warnings: readonly string[] }> {
  const project = await readProjectPins(folder, home)
  const members = await readMemberPins(folder, ({ isLock }) => !isLock)
  const pins = [...project.pins, ...members.pins]
  const pinsOf = Map.groupBy(pins, (pin) =>
    keyOf(filesByName.get(basename(pin.file))!.registry, pin.package),
  )
  const asides = new Map<string, Aside>()
  const dependencies = new Map<string, Dependency>()
  for (const { package: name, file } of pins) {
    const { registry, isLock } = filesByName.get(basename(file))!
    const key = keyOf(registry, name)
    // Poetry lists the Python language itself as a dependency.
    if (isLock || key === 'pypi:python') continue
    const aside = asides.get(file) ?? (await asideOf(join(folder, file)))
    asides.set(file, aside)
    if (aside.indirect.has(name)) continue
    const isDev = aside.dev.has(name)
    const entry = dependencies.get(key)
    if (entry !== undefined) entry.isDev &&= isDev
    else {
      const pin = preferredPin(pinsOf.get(key)!)!
      dependencies.set(key, { name, registry, named: pin.named, file: pin.file, isDev })
    }
  }
  for (const { own } of asides.values()) dependencies.delete(own)
  const warnings = [...project.warnings, ...members.warnings]
  return { dependencies: [...dependencies.values()], warnings }
}

function keyOf(registry: LockFile['registry'], name: string): string {
  return `${registry}:${plainPackageName(name)}`
}

/** `own` is the key of the package that the manifest describes; empty if there is none. */
type Aside = { own: string; dev: ReadonlySet<string>; indirect: ReadonlySet<string> }

/** The manifests that mark packages as indirect or as needed only for tests. */
const annotated =
  /((package|composer)\.json|(pyproject|Cargo)\.toml|go\.mod|mix\.exs|pom\.xml|\.gradle(\.kts)?)$/

async function asideOf(path: string): Promise<Aside> {
  const none: Aside = { own: '', dev: new Set(), indirect: new Set() }
  if (!annotated.test(path)) return none
  // The file is readable, because it has just been parsed.
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
  if (path.endsWith('Cargo.toml')) {
    const { own, dev } = await cargoNames(text)
    return { ...none, own: keyOf('crates', own), dev }
  }
  if (path.endsWith('.toml')) {
    const { own, dev } = await pyprojectNames(text)
    return { ...none, own: keyOf('pypi', own), dev }
  }
  const { name = '', devDependencies = {} } = JSON.parse(text.replace(/^\uFEFF/, ''))
  const dev = new Set(Object.keys(devDependencies ?? {}))
  return { ...none, own: keyOf('npm', String(name)), dev }
}
