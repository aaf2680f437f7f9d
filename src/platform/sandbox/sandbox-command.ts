import { join } from 'node:path'
import { bundledNatives, sourceRoot } from '../native/bundled.ts'

/** The argument that makes og run as a child process of a sandbox. */
export const sandboxFlag = '--sandbox'

/** Returns the command that starts a child process for og's kinds of work. */
export function sandboxCommand(): string[] {
  // The path below exists only in the source tree. Building it in a Windows executable would throw.
  if (bundledNatives !== null) return [process.execPath, sandboxFlag]
  return [process.execPath, join(sourceRoot, 'src/library/add/sandbox-work.ts')]
}
