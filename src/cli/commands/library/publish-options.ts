import { defaultLockSeconds, lockFields } from '../../../operation/write-fields.ts'
import { fieldOptions } from '../../operation-options.ts'

/** Command options for the fields of operations that write a library version. */
export const lockOptionForms = {
  lock_timeout: { placeholder: 'SECONDS', default: defaultLockSeconds },
} as const

/** Command options for the fields of operations that publish. */
export const publishOptionForms = {
  min_health: { placeholder: 'PERCENT' },
  ...lockOptionForms,
} as const

/** The option of every command that writes a library version. */
export const lockTimeoutOption = fieldOptions(lockFields, lockOptionForms).options['lock-timeout']
