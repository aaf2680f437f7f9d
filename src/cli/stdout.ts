import { existsSync, readFileSync } from 'node:fs'
import { OgError } from '../platform/error.ts'

export function isClosedPipe(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'EPIPE'
}

export function outputError(cause: Error): OgError {
  const { code = '' } = cause as NodeJS.ErrnoException
  const reasons: Readonly<Record<string, string>> = {
    ENOSPC: 'the disk is full',
    EDQUOT: 'your quota is used up',
    EBADF: 'it is closed',
    EFBIG: 'the file would be larger than this process may write',
  }
  return new OgError(`Cannot write to stdout: ${reasons[code] ?? cause.message}`, { cause })
}

/**
 * Detects a closed stdout (`og list >&-`). Bun replaces a closed stream with /dev/null, so writes
 * would seem to succeed. Bun opens that device with O_CLOEXEC, a flag that inherited streams never
 * have.
 */
export function isClosedDescriptor(descriptor: number): boolean {
  const path = `/proc/self/fdinfo/${descriptor}`
  const said = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const flags = /^flags:\s*([0-7]+)$/m.exec(said)?.[1] ?? '0'
  return (parseInt(flags, 8) & closeOnExec) !== 0
}

const closeOnExec = 0o2000000

export const failingStdout = {
  write: (_text: string, written: (error: Error) => void) =>
    written(Object.assign(new Error('EBADF'), { code: 'EBADF' })),
}
