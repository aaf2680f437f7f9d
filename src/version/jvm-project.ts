import { objectOf } from '../platform/json.ts'
export const anyVersion = '*'

/** `group:artifact`, and a plain version or `*`. */
type JvmDependency = readonly [name: string, version: string]

export function mavenProject(text: string): JvmDependency[] {
  if (!/<project[\s>]/.test(text)) throw new Error('it has no project')
  const asides = ['dependencyManagement', 'build', 'profiles']
  const own = asides.reduce(
    (rest, name) => withoutSpans(rest, `<${name}>`, `</${name}>`),
    withoutSpans(text, '<!--', '-->'),
  )
  const properties = new Map(
    Array.from(own.matchAll(/<([\w.-]+)>([^<>]*)<\/\1>/g), ([, name, value]) => [name!, value!]),
  )
  const blocks = own.split('<dependency>').slice(1)
  return blocks.map((block) => {
    const field = (name: string) =>
      new RegExp(`<${name}>\\s*([^<>\\s]+)\\s*</${name}>`).exec(block)?.[1] ?? ''
    const text = field('version')
    const [, property] = /^\$\{([\w.-]+)\}$/.exec(text) ?? []
    const version = property === undefined ? text : (properties.get(property) ?? '')
    const isPlain = /^\d/.test(version)
    const name = `${field('groupId')}:${field('artifactId')}`
    return [name, isPlain ? version : anyVersion] as const
  })
}

/** Removes the spans between two marks. A span without an end extends to the end of the text. */
function withoutSpans(text: string, start: string, end: string): string {
  let result = ''
  for (let at = 0; ; ) {
    const from = text.indexOf(start, at)
    if (from < 0) return result + text.slice(at)
    result += text.slice(at, from)
    const to = text.indexOf(end, from + start.length)
    if (to < 0) return result
    at = to + end.length
  }
}

/** Returns the packages of a gradle.lockfile, such as `com.example:lamp:1.2=runtimeClasspath`. */
export function gradleLock(text: string): JvmDependency[] {
  if (!/^(?:[\w.-]+:[\w.-]+:[^=\s]+|empty)=/m.test(text)) throw new Error('it holds no packages')
  const lines = text.matchAll(/^([\w.-]+:[\w.-]+):([^=:\s]+)=/gm)
  return Array.from(lines, ([, name, version]) => [name!, version!] as const)
}

export function gradleCatalog(content: Record<string, unknown>): JvmDependency[] {
  const versions = objectOf(content.versions)
  return Object.values(objectOf(content.libraries)).flatMap((entry) => {
    if (typeof entry === 'string') {
      const [group, name, version = ''] = entry.split(':')
      return name === undefined ? [] : [[`${group}:${name}`, plainVersion(version)] as const]
    }
    const { module, group, name, version } = objectOf(entry)
    const { ref } = objectOf(version)
    const requirement = ref === undefined ? version : versions[String(ref)]
    return [
      [String(module ?? `${group}:${name}`), plainVersion(requiredVersion(requirement))] as const,
    ]
  })
}

/** Returns a catalog's version: a string, or a table such as `{ strictly = "1.2" }`. */
function requiredVersion(requirement: unknown): string {
  if (typeof requirement === 'string') return requirement
  const { strictly, require, prefer } = objectOf(requirement)
  return String(strictly ?? require ?? prefer ?? '')
}

function plainVersion(text: string): string {
  return /^\d[\w.-]*$/.test(text) ? text : anyVersion
}

/** Matches `testImplementation("com.example:lamp:1.2")` in Groovy and Kotlin. */
const gradleEntry = new RegExp(
  String.raw`^[ \t]*(\w*(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly))[ \t(]+` +
    String.raw`['"]([\w.-]+:[\w.-]+)(?::([^'":@]*))?`,
  'gm',
)

/** Returns the dependencies in a build.gradle that are plain text. The file is a program. */
export function gradleBuild(text: string): JvmDependency[] {
  const entries = text.matchAll(gradleEntry)
  return Array.from(entries, ([, , name, version = '']) => [name!, plainVersion(version)] as const)
}

export function gradleTestNames(text: string): ReadonlySet<string> {
  const entries = [...text.matchAll(gradleEntry)].map(([, use, name]) => ({ use, name }))
  const isTest = ({ use }: { use?: string }) => /^(?:test|androidTest)/.test(use!)
  const used = new Set(entries.filter((it) => !isTest(it)).map(({ name }) => name))
  return new Set(entries.flatMap(({ name }) => (used.has(name) ? [] : name!)))
}
