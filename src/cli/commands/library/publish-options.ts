import { defaultLockSeconds, lockFields, publishFields } from '../../../operation/write-fields.ts'
import { fieldOptions } from '../../operation-options.ts'

/** Command options for the fields of operations that write a library version. */
export const lockFaces = {
  lock_timeout: { placeholder: 'SECONDS', default: defaultLockSeconds },
} as const

/** Command options for the fields of operations that publish. */
export const publishFaces = { min_health: { placeholder: 'PERCENT' }, ...lockFaces } as const

/** The option of every command that writes a library version. */
export const lockTimeout = fieldOptions(lockFields, lockFaces).options['lock-timeout']

/** The option of commands that publish. */
export const minHealth = fieldOptions(publishFields, publishFaces).options['min-health']
