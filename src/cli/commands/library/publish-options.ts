import { defaultLockSeconds, lockFields } from '../../../operation/write-fields.ts'
import { fieldOptions } from '../../operation-options.ts'

export const lockOptionForms = {
  lock_timeout: { placeholder: 'SECONDS', default: defaultLockSeconds },
} as const

export const publishOptionForms = {
  min_health: { placeholder: 'PERCENT' },
  ...lockOptionForms,
} as const

export const lockTimeoutOption = fieldOptions(lockFields, lockOptionForms).options['lock-timeout']
