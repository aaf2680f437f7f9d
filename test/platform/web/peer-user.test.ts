import { expect } from 'bun:test'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { isOwnClient } from '../../../src/platform/web/peer-user.ts'
import { testWhere } from '../../support/where.ts'

const test = testWhere(process.platform === 'linux' ? null : 'the table of connections is of Linux')
const isRoot = process.getuid?.() === 0 && Bun.which('setpriv') !== null
const testAsRoot = testWhere(isRoot ? null : 'only root can be another user, by setpriv')

/** A program that stays connected to a server here until it is released. */
async function openClient(as: readonly string[] = [], called = '127.0.0.1') {
  const server = createServer().listen(0, called)
  await once(server, 'listening')
  const { port: calledPort } = server.address() as AddressInfo
  const line = `exec 3<>/dev/tcp/${called}/${calledPort}; read -u 3`
  const child = Bun.spawn([...as, 'bash', '-c', line], {
    cwd: '/',
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const [socket] = (await once(server, 'connection')) as [Socket]
  return {
    client: { address: socket.remoteAddress!, port: socket.remotePort!, calledPort },
    async [Symbol.asyncDispose]() {
      socket.destroy()
      server.close()
      await child.exited
    },
  }
}

test('recognises a program of this user by its complete address', async () => {
  await using open = await openClient()
  expect(await isOwnClient(open.client)).toBe(true)
  const { port, calledPort } = open.client
  for (const other of [
    { address: '127.0.0.2' },
    { address: '::1' },
    { port: calledPort },
    { calledPort: port },
  ]) {
    expect(await isOwnClient({ ...open.client, ...other })).toBe(false)
  }
})

test('compares the whole destination address, not only the port', async () => {
  await using open = await openClient([], '127.0.0.2')
  expect(await isOwnClient(open.client)).toBe(false)
})

testAsRoot('rejects a program of another user', async () => {
  await using open = await openClient([
    'setpriv',
    '--reuid=65534',
    '--regid=65534',
    '--clear-groups',
  ])
  expect(await isOwnClient(open.client)).toBe(false)
})
