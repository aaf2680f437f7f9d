import { isRecord } from '../../platform/json.ts'
import { matchRef } from '../../version/ref-match.ts'

type CrateManifest = {
  name: string
  version: string
  own: Record<string, unknown>
  relatives: CrateRelative[]
}

export type CrateRelative = {
  name: string
  /** As in Cargo.toml: `0.5.2` means `^0.5.2`. */
  requirement: string
}

/** Maximum number of crates that are read for one crate; `futures` has seven. */
const mostRelatives = 10

export async function crateManifest(text: string): Promise<CrateManifest | null> {
  const { parse } = await import('smol-toml')
  let content: Record<string, unknown>
  try {
    content = parse(text)
  } catch {
    return null
  }
  const own = isRecord(content.package) ? content.package : {}
  const name = String(own.name ?? '')
  const listed = isRecord(content.dependencies) ? content.dependencies : {}
  const relatives = Object.entries(listed).flatMap(([key, value]) => {
    const settings = isRecord(value) ? value : { version: value }
    const dependency = typeof settings.package === 'string' ? settings.package : key
    const isRelative = dependency.startsWith(name) && /^[-_]\w/.test(dependency.slice(name.length))
    return typeof settings.version !== 'string' || !isRelative || !/^[\w-]+$/.test(dependency)
      ? []
      : [{ name: dependency, requirement: settings.version }]
  })
  const version = String(own.version ?? '')
  return { name, version, own, relatives: relatives.slice(0, mostRelatives) }
}

/** Returns the newest version that a cargo requirement allows, or null. */
export function compatibleVersion(requirement: string, versions: readonly string[]): string | null {
  const range = requirement
    .split(',')
    .map((part) => part.trim().replace(/^(?=\d)/, '^'))
    .join(', ')
  const refs = versions.map((name) => ({ name, kind: 'tag' as const, commit: name }))
  return matchRef(refs, range, '')?.name ?? null
}
