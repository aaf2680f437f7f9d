import type { Command } from '../../command.ts'
import { memoryBackupCommands } from './memory-backup.ts'
import { memoryKeepCommands } from './memory-keep.ts'
import { memoryLookCommands } from './memory-look.ts'
import { memoryReadCommands } from './memory-read.ts'
import { memoryWriteCommands } from './memory-write.ts'

/** The group `og memory`, for people. */
export const memoryCommands: readonly Command[] = [
  ...memoryReadCommands,
  ...memoryWriteCommands,
  ...memoryLookCommands,
  ...memoryKeepCommands,
  ...memoryBackupCommands,
]
