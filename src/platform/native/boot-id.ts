import { readFileSync } from 'node:fs'

/**
 * An id of the current boot of the system; empty if there is none (only Linux has it). Files
 * checked before a reboot must be checked again: while the system is down, a disk may be changed
 * elsewhere, and a power cut loses unwritten data.
 */
export function bootId(): string {
  if (process.platform !== 'linux') return ''
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
