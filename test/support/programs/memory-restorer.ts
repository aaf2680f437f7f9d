/** Reports that it starts, and restores a backup: `memory-restorer.ts ROOT NAME`. */
import { findBackups } from '../../../src/memory/backup/backup-list.ts'
import { restore } from '../../../src/memory/backup/export-import.ts'
import { openTestMemory } from '../memory/memory.ts'

const [root = '', name = ''] = process.argv.slice(2)
const memory = await openTestMemory(root)
const [chosen] = await findBackups(memory.workspace, name)
process.stdout.write('begin\n')
await restore(memory, chosen!)
process.stdout.write('end\n')
setTimeout(() => {}, 60_000)
