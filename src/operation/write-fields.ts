import type { InputOf } from './operation.ts'

export const defaultLockSeconds = 600

export const lockFields = {
  lock_timeout: {
    type: 'whole',
    min: 0,
    max: 86_400,
    doc: 'seconds to wait for another og that writes the same version',
  },
} as const

export const publishFields = {
  min_health: {
    type: 'whole',
    min: 0,
    max: 100,
    doc:
      'publish only if the search health (og eval --self) is at least this; measures ' +
      'unchanged versions too',
  },
  ...lockFields,
} as const

/** Returns the lock timeout of an input in milliseconds. */
export function lockTimeoutMs({ lock_timeout }: InputOf<typeof lockFields>): number {
  return (lock_timeout ?? defaultLockSeconds) * 1000
}
