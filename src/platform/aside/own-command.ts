import { join } from 'node:path'
import { embedded, sourceRoot } from '../native/embedded.ts'

/** The argument by which og runs as a child process of an `Aside`. */
export const asideFlag = '--aside'

/** The command that starts a child process for the kinds of work of og. */
export function ownCommand(): string[] {
  // The source path below is only made from source: in a Windows executable that would throw.
  if (embedded !== null) return [process.execPath, asideFlag]
  return [process.execPath, join(sourceRoot, 'src/library/add/aside-work.ts')]
}
