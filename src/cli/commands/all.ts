import type { Command } from '../command.ts'
import { add } from './add.ts'
import { completeFrom } from './complete.ts'
import { completion } from './completion.ts'
import { configCommands } from './config.ts'
import { context } from './context.ts'
import { diff } from './diff.ts'
import { doctor } from './doctor.ts'
import { evaluate } from './eval.ts'
import { explain } from './explain.ts'
import { extractCommands } from './extract.ts'
import { pageText } from './get.ts'
import { installMcp } from './install-mcp.ts'
import { list } from './list.ts'
import { manOf } from './man.ts'
import { mcp } from './mcp.ts'
import { memoryCommands } from './memory.ts'
import { memoryMcp } from './memory-mcp.ts'
import { memorySchemas } from './memory-schemas.ts'
import { memoryServe } from './memory-serve.ts'
import { nukeCommands } from './nuke.ts'
import { query } from './query.ts'
import { rawCommands } from './raw.ts'
import { reembed } from './reembed.ts'
import { remove } from './remove.ts'
import { rollback } from './rollback.ts'
import { serve } from './serve.ts'
import { sourcesCommands } from './sources.ts'
import { statsCommands } from './stats.ts'
import { update } from './update.ts'
import { version } from './version.ts'
import { watch } from './watch.ts'

const visible: readonly Command[] = [
  add,
  update,
  query,
  explain,
  pageText,
  context,
  list,
  diff,
  reembed,
  rollback,
  watch,
  remove,
  ...extractCommands,
  ...rawCommands,
  mcp,
  serve,
  installMcp,
  ...memoryCommands,
  memoryMcp,
  memoryServe,
  memorySchemas,
  ...sourcesCommands,
  evaluate,
  doctor,
  ...configCommands,
  ...statsCommands,
  ...nukeCommands,
  completion,
  version,
]

const documented: readonly Command[] = [...visible, manOf(() => documented)]

/** Every command: the table that running, help, docs/cli.md and completion read. */
export const commands: readonly Command[] = [...documented, completeFrom(documented)]
