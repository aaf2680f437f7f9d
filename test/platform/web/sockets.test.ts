import { expect, test } from 'bun:test'
import dgram from 'node:dgram'
import { lookup } from 'node:dns'
import { get } from 'node:https'
import { connect } from 'node:net'
import { closeNetwork, internetSockets } from '../../../src/platform/web/sockets.ts'
import { serveLocal } from '../../support/servers/serve-local.ts'

/** Expects a call to be refused and recorded as `attempt`. */
async function check(reach: () => unknown, attempt: string) {
  using network = closeNetwork()
  const tried = (async () => reach())()
  expect(await tried.then(() => 'reached', String)).toContain('it is closed for this trial')
  expect(network.attempts.join()).toContain(attempt)
}

test('refuses every way to open a socket', async () => {
  await check(() => fetch(new URL('http://h.test/x')), 'fetch http://h.test/x')
  await check(() => fetch(new Request('http://h.test/y')), 'fetch http://h.test/y')
  await check(() => new WebSocket('ws://h.test/'), 'WebSocket ws://h.test/')
  await check(() => connect(80, '127.0.0.1'), 'net.Socket.connect')
  await check(() => get('https://127.0.0.1:1/'), 'net.Socket.connect')
  await check(() => lookup('h.test', () => {}), 'dns.lookup h.test')
  await check(() => dgram.createSocket('udp4').send('x', 9, '127.0.0.1'), 'dgram.Socket')
  await check(() => Bun.udpSocket({ hostname: '127.0.0.1' }), 'Bun.udpSocket 127.0.0.1')
  const socket = { data() {} }
  await check(() => Bun.connect({ hostname: 'h.test', port: 80, socket }), 'Bun.connect h.test 80')
})

test('opens the network again when released', async () => {
  using server = serveLocal(() => new Response('open'))
  closeNetwork()[Symbol.dispose]()
  expect(await (await fetch(server.url)).text()).toBe('open')
})

test('lists the sockets of this process', async () => {
  const before = await internetSockets()
  if (process.platform !== 'linux') return expect(before).toBeNull()
  const udp = await Bun.udpSocket({ hostname: '127.0.0.1' })
  const after = await internetSockets()
  expect(after!.filter((it) => !before!.includes(it))).toEqual([expect.stringMatching(/^udp:\[/)])
  udp.close()
})
