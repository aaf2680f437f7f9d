import type { Command } from '../../command.ts'
import { memoryBackupCommands } from './memory-backup.ts'
import { memoryUpkeepCommands } from './memory-upkeep.ts'
import { memoryContentCommands } from './memory-content.ts'
import { memoryCaptureCommands } from './memory-capture.ts'
import { memoryMcp } from './memory-mcp.ts'
import { memoryReadCommands } from './memory-read.ts'
import { memorySchemas } from './memory-schemas.ts'
import { memoryServe } from './memory-serve.ts'
import { memoryWriteCommands } from './memory-write.ts'

/** The group `og memory`, for people. */
export const memoryCommands: readonly Command[] = [
  ...memoryReadCommands,
  ...memoryWriteCommands,
  ...memoryContentCommands,
  ...memoryUpkeepCommands,
  ...memoryCaptureCommands,
  ...memoryBackupCommands,
  memoryMcp,
  memoryServe,
  memorySchemas,
]
