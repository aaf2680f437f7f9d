import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { get } from 'node:http'
import { tryWithoutNetwork, type TrialStore } from '../../../src/library/doctor/doctor.ts'

const added = {
  library: 'trial',
  version: '1',
  status: 'added',
  pages: 1,
  chunks: 3,
  embedded: 0,
  diff: { added: 1, modified: 0, deleted: 0, unchanged: 0 },
  skipped: [],
  failed: [],
  kept: 0,
  incomplete: null,
  seconds: 0,
} as const

/** Creates an application that runs `work` instead of adding, and always answers with `heading`. */
function application(work: () => unknown, heading = 'Backups > Retention'): TrialStore {
  return {
    async add() {
      await work()
      return { ...added, skipped: [], failed: [] }
    },
    search: async () => ({ hits: [{ heading }] as never }),
    async [Symbol.asyncDispose]() {},
  }
}

async function check(trial: TrialStore, expected: { trial: string; sockets: string }) {
  let store = ''
  const checks = await tryWithoutNetwork((folder) => ((store = folder), trial))
  expect(checks.map(({ name, ok, detail }) => ({ name, ok, detail }))).toEqual([
    verdict('trial without network', expected.trial),
    verdict('sockets', expected.sockets),
  ])
  expect(existsSync(store)).toBe(false)
}

/** Returns a check with this text; a text that starts with "!" belongs to a failed check. */
function verdict(name: string, text: string) {
  return { name, ok: text[0] !== '!', detail: expect.stringContaining(text.replace('!', '')) }
}

const quiet = 'no attempt to reach the network'

test('passes an application that opens no connections', async () => {
  await check(
    application(() => {}),
    { trial: 'answered a question', sockets: quiet },
  )
})

test('reports a wrong answer', async () => {
  const trial = '!found "Backups > Schedule"'
  await check(
    application(() => {}, 'Backups > Schedule'),
    { trial, sockets: quiet },
  )
})

test('blocks and reports every network access, even if its error is caught', async () => {
  await check(
    application(() => fetch('http://127.0.0.1:1/x')),
    {
      trial: '!it is closed for this trial (fetch http://127.0.0.1:1/x)',
      sockets: '!tried to reach the network: fetch http://127.0.0.1:1/x',
    },
  )
  const secretly = async () => fetch('http://127.0.0.1:1/x')
  await check(
    application(() => secretly().catch(() => {})),
    {
      trial: 'answered a question',
      sockets: '!tried to reach the network: fetch http://127.0.0.1:1/x',
    },
  )
  await check(
    application(() => get('http://127.0.0.1:1/')),
    { trial: '!it is closed', sockets: '!net.Socket.connect' },
  )
})

test('detects a socket that was opened by other means, if the system lists it', async () => {
  const sockets = process.platform === 'linux' ? '!left open by the trial: tcp:[' : quiet
  const servers: Bun.TCPSocketListener[] = []
  const listen = () =>
    servers.push(Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } }))
  await check(application(listen), { trial: 'answered a question', sockets })
  for (const server of servers) server.stop(true)
})

test('restores network access after the trial', async () => {
  const before = fetch
  await check(
    application(() => {}),
    { trial: 'answered', sockets: quiet },
  )
  expect(fetch).toBe(before)
})
