import type { Command } from '../command.ts'
import { add } from './library/add.ts'
import { ciCommands } from './registry/ci.ts'
import { completeCommand } from './system/complete.ts'
import { completion } from './system/completion.ts'
import { configCommands } from './system/config.ts'
import { context } from './search/context.ts'
import { copy } from './library/copy.ts'
import { diff } from './library/diff.ts'
import { doctor } from './system/doctor.ts'
import { evalCommand } from './search/eval.ts'
import { explain } from './search/explain.ts'
import { extractCommands } from './library/extract.ts'
import { openCommand } from './server/open-page.ts'
import { getCommand } from './search/get.ts'
import { gc } from './system/gc.ts'
import { installMcp } from './server/install-mcp.ts'
import { job } from './system/job.ts'
import { jobs } from './library/jobs.ts'
import { init } from './system/init.ts'
import { keysCommands } from './server/keys.ts'
import { list } from './library/list.ts'
import { manCommand } from './system/man.ts'
import { mcp } from './server/mcp.ts'
import { memoryCommands } from './memory/memory.ts'
import { memoryMcp } from './memory/memory-mcp.ts'
import { memorySchemas } from './memory/memory-schemas.ts'
import { memoryServe } from './memory/memory-serve.ts'
import { modelCommands } from './system/model.ts'
import { nukeCommands } from './library/nuke.ts'
import { pack } from './library/pack.ts'
import { query } from './search/query.ts'
import { rawPagesCommands } from './library/raw.ts'
import { reembed } from './library/reembed.ts'
import { remove } from './library/remove.ts'
import { registryCommands } from './registry/registry.ts'
import { rollback } from './library/rollback.ts'
import { serve } from './server/serve.ts'
import { sourcesCommands } from './library/sources.ts'
import { statsCommands } from './system/stats.ts'
import { api } from './search/api.ts'
import { update } from './library/update.ts'
import { upgrade } from './system/upgrade.ts'
import { version } from './system/version.ts'
import { watch } from './library/watch.ts'

const visible: readonly Command[] = [
  add,
  init,
  update,
  jobs,
  query,
  explain,
  getCommand,
  api,
  context,
  list,
  pack,
  copy,
  ...registryCommands,
  ...ciCommands,
  diff,
  reembed,
  rollback,
  watch,
  remove,
  ...extractCommands,
  ...rawPagesCommands,
  mcp,
  serve,
  ...keysCommands,
  openCommand,
  installMcp,
  ...memoryCommands,
  memoryMcp,
  memoryServe,
  memorySchemas,
  ...sourcesCommands,
  evalCommand,
  doctor,
  gc,
  ...configCommands,
  ...modelCommands,
  ...statsCommands,
  ...nukeCommands,
  completion,
  upgrade,
  version,
]

const documented: readonly Command[] = [...visible, manCommand(() => documented)]

/** Every command. Running, help, docs/reference/cli.md and completion use this table. */
export const commands: readonly Command[] = [...documented, completeCommand(documented), job]
