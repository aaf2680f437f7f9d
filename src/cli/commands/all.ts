import type { Command } from '../command.ts'

type Row = readonly [
  words: string,
  load: () => Promise<Command | readonly Command[]>,
  /** The second words of the module's commands, if several modules share the first word. */
  members?: string,
]

/** First words and aliases of commands, each with the module of the commands. */
const rows: readonly Row[] = [
  ['add', async () => (await import('./library/add.ts')).add],
  ['init', async () => (await import('./system/init.ts')).init],
  ['update', async () => (await import('./library/update.ts')).update],
  ['jobs', async () => (await import('./library/jobs.ts')).jobs],
  ['query', async () => (await import('./search/query.ts')).query],
  ['get', async () => (await import('./search/get.ts')).getCommand],
  ['api', async () => (await import('./search/api.ts')).api],
  ['context', async () => (await import('./search/context.ts')).context],
  ['list ls list-libraries', async () => (await import('./library/list.ts')).list],
  ['pack', async () => (await import('./library/pack.ts')).pack],
  ['copy', async () => (await import('./library/copy.ts')).copy],
  ['registry', async () => (await import('./registry/registry.ts')).registryCommands],
  ['ci', async () => (await import('./registry/ci.ts')).ciCommands],
  ['diff', async () => (await import('./library/diff.ts')).diff],
  ['reembed', async () => (await import('./library/reembed.ts')).reembed],
  ['rollback', async () => (await import('./library/remove.ts')).rollback],
  ['watch', async () => (await import('./library/watch.ts')).watch],
  ['remove rm', async () => (await import('./library/remove.ts')).remove],
  [
    'extract-sitemap extract-git embed list-raw-libraries import-raw',
    async () => (await import('./library/raw.ts')).rawPagesCommands,
  ],
  ['mcp', async () => (await import('./server/mcp.ts')).mcp],
  ['serve', async () => (await import('./server/serve.ts')).serve],
  ['keys', async () => (await import('./server/keys.ts')).keysCommands],
  ['open', async () => (await import('./server/open-page.ts')).openCommand],
  ['install-mcp', async () => (await import('./server/install-mcp.ts')).installMcp],
  [
    'memory',
    async () => (await import('./memory/memory-read.ts')).memoryReadCommands,
    'read search relations list bootstrap compact',
  ],
  [
    'memory',
    async () => (await import('./memory/memory-write.ts')).memoryWriteCommands,
    'write relate',
  ],
  [
    'memory',
    async () => (await import('./memory/memory-upkeep.ts')).memoryUpkeepCommands,
    'sync history undo audit doctor',
  ],
  [
    'memory',
    async () => (await import('./memory/memory-capture.ts')).memoryCaptureCommands,
    'capture inbox',
  ],
  [
    'memory',
    async () => (await import('./memory/memory-backup.ts')).memoryBackupCommands,
    'backup list-backups restore export import',
  ],
  [
    'memory',
    async () => (await import('./memory/memory-serve.ts')).memoryServeCommands,
    'mcp serve schemas',
  ],
  ['sources', async () => (await import('./library/sources.ts')).sourcesCommands],
  ['eval', async () => (await import('./search/eval.ts')).evalCommand],
  ['doctor', async () => (await import('./system/doctor.ts')).doctor],
  ['gc', async () => (await import('./library/remove.ts')).gc],
  ['config', async () => (await import('./system/config.ts')).configCommands],
  ['model', async () => (await import('./system/config.ts')).modelCommands],
  ['stats', async () => (await import('./system/stats.ts')).statsCommands],
  ['nuke', async () => (await import('./library/remove.ts')).nukeCommands],
  ['completion', async () => (await import('./system/complete.ts')).completion],
  ['upgrade', async () => (await import('./system/upgrade.ts')).upgrade],
  ['version', async () => (await import('./system/version.ts')).version],
  ['__complete', async () => (await import('./system/complete.ts')).completeCommand(commandsOf)],
  ['__job', async () => (await import('./library/jobs.ts')).job],
]

export async function loadCommands(): Promise<readonly Command[]> {
  return load(rows)
}

/**
 * Loads the commands that these words may name. Loads one module of a group if both words match,
 * the whole group if only the first word matches, and every command without words.
 */
export async function commandsOf(words: readonly string[]): Promise<readonly Command[]> {
  const [first, second = ''] = words
  if (first === undefined) return loadCommands()
  const group = rows.filter(([names]) => names.split(' ').includes(first))
  const memberRows = group.filter(([, , members]) => members?.split(' ').includes(second))
  return load(memberRows.length > 0 ? memberRows : group)
}

async function load(some: readonly Row[]): Promise<readonly Command[]> {
  return (await Promise.all(some.map(([, load]) => load()))).flat()
}
