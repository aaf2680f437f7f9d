/** Calls every operation on a store and prints the results: `asker.ts STORE`. */
import { join } from 'node:path'
import { listLibraries } from '../../../src/library/list.ts'
import { findFullPage } from '../../../src/library/page.ts'
import { removeVersion } from '../../../src/library/rollback.ts'
import { openTestStore } from '../test-store.ts'

const [folder = ''] = process.argv.slice(2)
using store = openTestStore(folder)
const version = { library: 'FastAPI', version: '0.115.0' }
const any = { library: null, version: null }
async function say(what: string, doing: Promise<unknown>) {
  process.stdout.write(`${what}: ${await doing.catch((error) => error.message)}\n`)
}
await say(
  'list',
  listLibraries(folder).then((listed) => listed.length),
)
for (let turn = 0; turn < 2; turn++) {
  await say(
    'search',
    store.search('Optional[str]').then(([hit]) => hit!.url),
  )
}
const asked = { url: 'doc:/tutorial/body.md', ...any }
await say(
  'page',
  findFullPage(store.entries, asked).then((page) => page!.text.split('\n')[0]),
)
await say('add', store.add('FastAPI', join(folder, '..', 'docs'), { version: version.version }))
await say('remove', removeVersion(folder, { ...version, lockTimeoutMs: 0 }))
