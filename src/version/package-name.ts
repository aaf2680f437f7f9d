import { OgError } from '../platform/error.ts'

/** A package in a registry and its version. A null version means the newest. */
export type PackageName = { registry: RegistryKind; name: string; version: string | null }

/** The registries whose packages can be added, most common first. */
export const registryKinds = [
  'npm',
  'pypi',
  'crates',
  'go',
  'maven',
  'rubygems',
  'packagist',
  'hex',
  'nuget',
] as const
export type RegistryKind = (typeof registryKinds)[number]

const aliases: Readonly<Record<string, RegistryKind>> = { gem: 'rubygems', composer: 'packagist' }

/** The names that each registry allows. A valid name cannot escape from a path or URL. */
const shapes: Record<RegistryKind, RegExp> = {
  npm: /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i,
  pypi: /^[a-z0-9](?:[\w.-]*[a-z0-9])?$/i,
  crates: /^[a-z][\w-]*$/i,
  go: /^[\w~-]+(?:\.[\w~-]+)+(?:\/[\w~-][\w.~-]*)+$/i,
  maven: /^[\w-]+(?:\.[\w-]+)*:[\w-]+(?:\.[\w-]+)*$/,
  rubygems: /^[a-z0-9][\w.-]*$/i,
  packagist: /^[a-z0-9][\w.-]*\/[a-z0-9][\w.-]*$/i,
  hex: /^[a-z][a-z0-9_]*$/,
  nuget: /^\w+(?:[.-]\w+)*$/,
}

const examples: Record<RegistryKind, string> = {
  npm: 'npm:zod or npm:@vue/reactivity@3.5',
  pypi: 'pypi:httpx@0.27',
  crates: 'crates:tokio',
  go: 'go:github.com/spf13/cobra',
  maven: 'maven:GROUP:ARTIFACT, as maven:com.google.code.gson:gson@2.11.0',
  rubygems: 'rubygems:rack or gem:rack',
  packagist: 'packagist:monolog/monolog or composer:monolog/monolog',
  hex: 'hex:phoenix',
  nuget: 'nuget:Serilog',
}

const maxLength = 200

/**
 * Parses `npm:zod`, `npm:@scope/name@1.2`, `pypi:httpx@0.27`, `crates:tokio`,
 * `go:github.com/spf13/cobra`, `maven:com.google.code.gson:gson` or `gem:rack`. Returns null for
 * other text.
 * @throws OgError for a name or version that no registry allows
 */
export function parsePackage(text: string): PackageName | null {
  const [, prefix = '', rest = ''] = /^([a-z]{2,10}):(?!\/\/)(.*)$/s.exec(text) ?? []
  const kind = registryKinds.find((one) => one === prefix) ?? aliases[prefix]
  if (kind === undefined) return null
  // An `@` at the beginning starts a scope.
  const at = rest.lastIndexOf('@')
  const [name, version] = at > 0 ? [rest.slice(0, at), rest.slice(at + 1)] : [rest, null]
  const refuse = (why: string) =>
    new OgError(`Cannot use ${JSON.stringify(text.slice(0, 300))} as a package: ${why}`, {
      hint: `write ${examples[kind]}`,
    })
  if (name.length > maxLength || !shapes[kind].test(name) || /(^|\/)\.\.?(\/|$)/.test(name)) {
    throw refuse(
      `that is not the name of ${kind === 'go' ? 'a Go module' : `a package of ${kind}`}`,
    )
  }
  if (version !== null && !isVersion(version)) throw refuse('the text after "@" is not a version')
  return { registry: kind, name, version }
}

/** True if the text is a version, a prefix of one, a range, or a tag such as `next`. */
export function isVersion(text: string): boolean {
  return /^[\w.+~^<>=!*, |-]{1,100}$/.test(text)
}

export function packageKey({ registry, name }: PackageName): string {
  return `${registry}:${name}`
}

/** Unifies spellings that registries do not distinguish, such as `Foo_Bar` and `foo-bar`. */
export function plainPackageName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-')
}

export function packageLibrary({ registry, name }: PackageName): string {
  if (registry === 'pypi' || registry === 'nuget') return name.toLowerCase()
  if (registry === 'maven') return name.slice(name.indexOf(':') + 1)
  if (registry === 'packagist') {
    const [vendor, own] = name.toLowerCase().split('/')
    return vendor === own ? own! : `${vendor}-${own}`
  }
  if (registry !== 'go') return name
  const parts = name.split('/').filter((part) => !/^v\d+$/.test(part))
  return parts
    .at(-1)!
    .replace(/\.v\d+$/, '')
    .toLowerCase()
}

type LibraryVersion = { library: string | null; version: string | null }

/**
 * Splits `fastapi@0.115.0` into library and version. `@scope/ui` and `npm:@scope/ui` are plain
 * names.
 * @throws OgError if a second version is given, or if several libraries are separated by commas
 */
export function splitVersion<T extends LibraryVersion>(request: T): T {
  const { library, version } = request
  const parts = library?.split(',').map((part) => part.trim()) ?? []
  const nameWithVersion = parts.find((part) => /[^:]@[^@]*$/.test(part))
  if (nameWithVersion === undefined) return request
  if (parts.length > 1) {
    throw new OgError(`Cannot search "${library}": a list of libraries cannot contain versions`, {
      hint: 'search one after the other, or give the versions with -v',
    })
  }
  const at = nameWithVersion.lastIndexOf('@')
  const own = nameWithVersion.slice(at + 1)
  if (own === '') {
    throw new OgError(`Cannot search "${nameWithVersion}": there is no version after "@"`, {
      hint: 'write LIBRARY or LIBRARY@VERSION',
    })
  }
  if (version !== null && version !== own) {
    throw new OgError(
      `Cannot search "${nameWithVersion}" in version "${version}": it contains another version`,
      { hint: 'give the version once' },
    )
  }
  return { ...request, library: nameWithVersion.slice(0, at), version: own }
}
