/** Writes entries through a session and prints each one: `memory-writer.ts ROOT PREFIX [COUNT]`. */
import { openMemory } from '../../../src/memory/session.ts'
import { defaultMemorySettings } from '../../../src/memory/settings.ts'
import { kernels } from '../store.ts'

const [root = '', prefix = '', count = '99999'] = process.argv.slice(2)
await using memory = await openMemory({
  root,
  name: 'default',
  settings: defaultMemorySettings,
  embedder: null,
  kernels,
  warn: console.error,
})
for (let i = 0; i < Number(count); i++) {
  await memory.write({ file: 'MEMORY.md', content: `heron ${prefix}${i}` })
  process.stdout.write(`${prefix}${i}\n`)
}
