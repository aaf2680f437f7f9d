import { isRecord } from '../platform/json.ts'
import { settings } from './setting.ts'
import type { UserSettings } from './user-file.ts'

/**
 * Returns dotted keys of config.json that are not settings: typing errors, or keys of a newer
 * openground.
 */
export function unknownKeys(content: UserSettings): string[] {
  const keys = new Set(settings.map(({ key }) => key))
  const sections = new Set(settings.flatMap(({ key }) => key.split('.').slice(0, -1)))
  return Object.entries(content).flatMap(([key, value]) => {
    if (!sections.has(key)) return keys.has(key) ? [] : [key]
    const inside = isRecord(value) ? Object.keys(value) : []
    return inside.map((name) => `${key}.${name}`).filter((dotted) => !keys.has(dotted))
  })
}
