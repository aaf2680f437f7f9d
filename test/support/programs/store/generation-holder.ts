/**
 * Keeps a generation open: `generation-holder.ts write FOLDER` writes one without publishing it, `…
 * read FOLDER` opens the live one. Prints its id, waits for a line on stdin, and prints the
 * contents.
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
