/**
 * Keeps a generation: `generation-holder.ts write FOLDER` writes one and publishes nothing,
 * `… read FOLDER` opens what is live. Says its id, waits for a line on stdin, then what it sees.
 */
import { createGeneration } from '../../../../src/store/generation.ts'
import { openLive, pageRow } from '../../store.ts'

const [kind, folder = ''] = process.argv.slice(2)
if (kind === 'write') {
  const writer = await createGeneration(folder)
  await writer.appendPages([pageRow('a', 'text')])
  await writer.finish()
  process.stdout.write(`${writer.id}\n`)
  setTimeout(() => writer[Symbol.dispose](), 60_000)
} else {
  const [open] = await openLive(folder)
  process.stdout.write(`${open!.generation.id}\n`)
  for await (const _ of console) {
    const page = await open!.page('a').catch(String)
    process.stdout.write(`${JSON.stringify(page)}\n`)
  }
}
