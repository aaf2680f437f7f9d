import { OgError } from '../../platform/error.ts'

/** A package in a registry, and its version; a null version is the newest. */
export type PackageName = { registry: RegistryKind; name: string; version: string | null }

export type RegistryKind = 'npm' | 'pypi' | 'crates' | 'go'

/** The names that each registry allows. A valid name cannot escape from a path or a URL. */
const shapes: Record<RegistryKind, RegExp> = {
  npm: /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i,
  pypi: /^[a-z0-9](?:[\w.-]*[a-z0-9])?$/i,
  crates: /^[a-z][\w-]*$/i,
  go: /^[\w~-]+(?:\.[\w~-]+)+(?:\/[\w~-][\w.~-]*)+$/i,
}

const maxLength = 200

/**
 * Parses `npm:zod`, `npm:@scope/name@1.2`, `pypi:httpx@0.27`, `crates:tokio` or
 * `go:github.com/spf13/cobra`; null for other text.
 * @throws OgError for a name or version that no registry allows
 */
export function parsePackage(text: string): PackageName | null {
  const [, registry, rest = ''] = /^(npm|pypi|crates|go):(?!\/\/)(.*)$/s.exec(text) ?? []
  if (registry === undefined) return null
  const kind = registry as RegistryKind
  // An `@` at the beginning opens a scope.
  const at = rest.lastIndexOf('@')
  const [name, version] = at > 0 ? [rest.slice(0, at), rest.slice(at + 1)] : [rest, null]
  const refuse = (why: string) =>
    new OgError(`Cannot use ${JSON.stringify(text.slice(0, 300))} as a package: ${why}`, {
      hint: 'write npm:zod, pypi:httpx@0.27, crates:tokio or go:github.com/spf13/cobra',
    })
  if (name.length > maxLength || !shapes[kind].test(name) || /(^|\/)\.\.?(\/|$)/.test(name)) {
    throw refuse(`that is no name of ${kind === 'go' ? 'a Go module' : `a package of ${kind}`}`)
  }
  if (version !== null && !isVersion(version)) throw refuse('what follows "@" is no version')
  return { registry: kind, name, version }
}

/** Whether the text is a version, the beginning of one, a range, or a tag such as `next`. */
export function isVersion(text: string): boolean {
  return /^[\w.+~^<>=!*, |-]{1,100}$/.test(text)
}

/** The key under which a package is stored, such as `pypi:httpx`. */
export function packageKey({ registry, name }: PackageName): string {
  return `${registry}:${name}`
}

/** The library name for the documentation of a package. */
export function packageLibrary({ registry, name }: PackageName): string {
  if (registry === 'pypi') return name.toLowerCase()
  if (registry !== 'go') return name
  const parts = name.split('/').filter((part) => !/^v\d+$/.test(part))
  return parts
    .at(-1)!
    .replace(/\.v\d+$/, '')
    .toLowerCase()
}
