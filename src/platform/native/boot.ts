import { readFileSync } from 'node:fs'

/**
 * Which start of the system this is; empty where that cannot be told. A disk may be changed
 * elsewhere while this system is down, and lose what was not yet written when power fails.
 */
export function bootId(): string {
  if (process.platform !== 'linux') return ''
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
