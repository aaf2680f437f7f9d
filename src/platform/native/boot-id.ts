import { readFileSync } from 'node:fs'

/**
 * Returns an id of the current boot; empty on systems other than Linux, which have none. Files that
 * were checked before a reboot must be checked again, because a disk may be changed elsewhere while
 * the system is down, and a power cut loses unwritten data.
 */
export function bootId(): string {
  if (process.platform !== 'linux') return ''
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
