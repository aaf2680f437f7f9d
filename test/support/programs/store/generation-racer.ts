/**
 * Creates and publishes empty generations of one library, and deletes old ones after each as `og
 * add` does: `generation-racer.ts STORE LIBRARY ROUNDS`. Prints each generation that is lost while
 * it is live.
 */
import {
  createGeneration,
  hasGeneration,
  sweepGenerations,
} from '../../../../src/store/generation.ts'
import { readEntries } from '../../../../src/store/registry.ts'
import { generationNamed, publish } from '../../store.ts'

const [folder = '', library = '', rounds = '0'] = process.argv.slice(2)
for (let round = 0; round < Number(rounds); round++) {
  const writer = await createGeneration(folder)
  await publish(folder, library, generationNamed(writer.id))
  writer[Symbol.dispose]()
  await sweepGenerations(folder)
  for (const { id } of await liveGenerations()) {
    if (hasGeneration(folder, id)) continue
    const isLive = (await liveGenerations()).some((live) => live.id === id)
    if (isLive) process.stdout.write(`lost ${id}\n`)
  }
}
process.stdout.write('done\n')

async function liveGenerations() {
  return (await readEntries(folder)).map((entry) => entry.live)
}
