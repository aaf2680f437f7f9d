/**
 * A process of the memory benchmark. `append ROOT PREFIX COUNT` appends entries and prints each one
 * when it is acknowledged. `first ROOT QUERY` opens the memory and prints the sizes of its
 * bootstrap text and of an answer.
 */
import { openMemory } from '../../src/memory/session.ts'
import { defaultMemorySettings } from '../../src/memory/settings.ts'
import { openKernels } from '../../src/platform/kernels/kernels.ts'

const [mode, root = '', first = '', count = '0'] = process.argv.slice(2)

async function main(): Promise<void> {
  await using memory = await openMemory({
    root,
    name: 'default',
    settings: defaultMemorySettings,
    embedder: null,
    kernels: openKernels(null),
    warn: (line) => process.stderr.write(`${line}\n`),
  })
  if (mode === 'append') {
    for (let i = 0; i < Number(count); i++) {
      await memory.write({ file: 'MEMORY.md', content: `entry ${first}${i} of this process` })
      process.stdout.write(`${first}${i}\n`)
    }
    return
  }
  const { chars } = await memory.bootstrap()
  const { results } = await memory.recall({ query: first })
  process.stdout.write(`${chars} characters, ${results.length} hits\n`)
}

await main()
