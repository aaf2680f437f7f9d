/**
 * Adds a folder with the built-in model and aborts once it embeds: `interrupted-adder.ts FOLDER`.
 */
import { loadConfig } from '../../../src/config/load.ts'
import type { AddProgress } from '../../../src/library/library.ts'
import { openOg } from '../../../src/open.ts'

const [path = ''] = process.argv.slice(2)
const controller = new AbortController()
let isEmbedding = false
const onProgress = ({ embedded }: AddProgress) => {
  if (embedded === 0 || isEmbedding) return
  isEmbedding = true
  process.stdout.write('embedding\n')
  setTimeout(() => controller.abort(new Error('Ctrl-C')), 50)
}

async function add(): Promise<string> {
  const config = await loadConfig({ HOME: process.env.HOME })
  await using og = openOg(config, () => {})
  const source = { kind: 'local_path', path } as const
  const lib = { library: 'lib', version: '1', lockTimeoutMs: 0 }
  return (await og.add({ ...lib, source, onProgress, signal: controller.signal })).status
}
process.stdout.write(`${await add().catch(String)}\n`)
