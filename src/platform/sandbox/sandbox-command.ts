import { join } from 'node:path'
import { bundledNatives, sourceRoot } from '../native/bundled.ts'

export const sandboxFlag = '--sandbox'

export function sandboxCommand(): string[] {
  // The path below exists only in the source tree. Building it in a Windows executable would throw.
  if (bundledNatives !== null) return [process.execPath, sandboxFlag]
  return [process.execPath, join(sourceRoot, 'src/library/add/sandbox-work.ts')]
}
