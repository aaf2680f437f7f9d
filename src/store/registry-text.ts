import { OgError } from '../platform/error.ts'
import type { Entry } from './registry.ts'
import { findEntriesFault, findRetiredFault } from './registry-schema.ts'

export const registryFormat = 1

/** `retired` exists only in buckets and maps generation ids to the time of their last use. */
export type StoredRegistry = { format: number; entries: Entry[]; retired?: Record<string, string> }

export function registryText(registry: StoredRegistry): string {
  return `${JSON.stringify(registry, null, 1)}\n`
}

/**
 * `hint` explains how to repair a damaged registry.
 * @throws OgError that names `path` if the text is not a registry that this version of og can read
 */
export function parseRegistry(text: string, path: string, hint = repairHint): StoredRegistry {
  let registry: StoredRegistry
  try {
    registry = JSON.parse(text)
  } catch (cause) {
    throw new OgError(`Cannot read store ${path}: it is not JSON`, { hint, cause })
  }
  if (typeof registry?.format !== 'number' || !Array.isArray(registry.entries)) {
    throw new OgError(`Cannot read store ${path}: it is not an og registry`, { hint })
  }
  if (registry.format > registryFormat) {
    throw new OgError(
      `Cannot read store ${path}: its format is ${registry.format}, ` +
        `this og knows formats up to ${registryFormat}`,
      { hint: 'install a newer og' },
    )
  }
  const fault = findEntriesFault(registry.entries) ?? findRetiredFault(registry.retired)
  if (fault !== null) throw new OgError(`Cannot read store ${path}: ${fault}`, { hint })
  return registry
}

/** True if a newer og wrote this unparsable text. Damaged text has no format number. */
export function isNewerRegistry(text: string): boolean {
  const format = /"format"\s*:\s*(\d+)/.exec(text.slice(0, 1000))?.[1]
  return Number(format ?? 0) > registryFormat
}

export const repairHint =
  'restore it from a backup, or "og doctor --repair" makes it from the generations'
