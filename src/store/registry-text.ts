import { OgError } from '../platform/error.ts'
import { entriesFault, type StoredEntry } from './registry-schema.ts'

export const registryFormat = 1

export type StoredRegistry = { format: number; entries: StoredEntry[] }

export function registryText(registry: StoredRegistry): string {
  return `${JSON.stringify(registry, null, 1)}\n`
}

/** @throws OgError, which names `path`, where the text is no registry that this og knows */
export function parseRegistry(text: string, path: string): StoredRegistry {
  let registry: StoredRegistry
  try {
    registry = JSON.parse(text)
  } catch (cause) {
    throw new OgError(`Cannot read store ${path}: it is not JSON`, {
      hint: mending,
      cause,
    })
  }
  if (typeof registry?.format !== 'number' || !Array.isArray(registry.entries)) {
    throw new OgError(`Cannot read store ${path}: it is not a registry of og`, { hint: mending })
  }
  if (registry.format > registryFormat) {
    throw new OgError(
      `Cannot read store ${path}: its format is ${registry.format}, ` +
        `this og knows formats up to ${registryFormat}`,
      { hint: 'install a newer og' },
    )
  }
  const fault = entriesFault(registry.entries)
  if (fault !== null) throw new OgError(`Cannot read store ${path}: ${fault}`, { hint: mending })
  return registry
}

export const mending =
  'restore it from a backup, or "og doctor --repair" makes it from the generations'
