import { join } from 'node:path'
import { embedded, sourceRoot } from '../native/embedded.ts'

/** By which this program is told to be a process that works aside. */
export const asideFlag = '--aside'

/** How to start such a process, for the works of this program. */
export function ownCommand(): string[] {
  // An executable for Windows has no such path: it throws there.
  if (embedded !== null) return [process.execPath, asideFlag]
  return [process.execPath, join(sourceRoot, 'src/library/add/aside-work.ts')]
}
