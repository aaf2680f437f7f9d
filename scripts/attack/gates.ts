import { connect } from 'node:net'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Arena, Concern } from './arena.ts'

const token = 'a-token-of-the-attack-0123456789'

/** Sends requests that must not be answered, and bytes that are not HTTP. */
export const gates: Concern = {
  what: 'requests past the gates of og serve',
  async attack(arena) {
    const docs = join(arena.folder, 'docs')
    mkdirSync(docs)
    writeFileSync(join(docs, 'a.md'), '# A\n\nThe pelican is secret.\n')
    await arena.og('a library', ['add', 'lib', '-s', docs, '-v', '1'])
    const running = arena.start(['serve', '--port', '0'], {
      env: { OG_SERVE_TOKEN: token },
      limitMs: 2 ** 31 - 1,
    })
    const port = await portOf(running.pid)
    if (port === null) {
      running.kill()
      return arena.fail('og serve', `it listens nowhere: ${(await running.ended).stderr}`)
    }
    while (arena.hasTime()) {
      const [name, bytes] = arena.random.one(Object.entries(requests(port)))
      // A request with the right token is refused only because of another part, which a change
      // could repair.
      const isFixed = bytes.includes(`Bearer ${token}\r\n`) || arena.random.below(3) > 0
      const sent = isFixed ? bytes : changed(arena, bytes)
      const began = performance.now()
      const answer = await exchanged(port, sent)
      arena.spent(performance.now() - began, 0)
      arena.round()
      if (answer.includes('pelican')) arena.fail(name, `answered without a right to: ${answer}`)
      if (/\bat .*:\d+|internal:/.test(answer)) arena.fail(name, `said too much: ${answer}`)
      if (arena.found.rounds % 20 > 0) continue
      const health = await exchanged(port, request({ method: 'GET', path: '/health' }, port))
      if (!health.includes('"status":"ok"')) {
        arena.fail(name, `afterwards /health says ${JSON.stringify(health)}`)
        break
      }
    }
    const asked = request({ headers: { Authorization: `Bearer ${token}` } }, port)
    const answer = await exchanged(port, asked)
    if (!answer.includes('pelican')) arena.fail('the owner', `is not answered: ${answer}`)
    running.kill()
    const { stderr } = await running.ended
    if (/internal:|TypeError|panic/.test(stderr)) arena.fail('og serve', stderr.slice(-300))
  },
}

/** Finds the port on which a process listens, from its sockets in /proc. */
async function portOf(pid: number): Promise<number | null> {
  for (let tries = 0; tries < 600; tries++) {
    const { stdout } = Bun.spawnSync(['sh', '-c', `ls -l /proc/${pid}/fd 2>/dev/null`])
    const inodes = [...stdout.toString().matchAll(/socket:\[(\d+)\]/g)].map(([, inode]) => inode!)
    const lines = (await Bun.file('/proc/net/tcp').text()).split('\n')
    const sockets = lines.map((line) => line.trim().split(/\s+/))
    const listening = sockets.find((cells) => cells[3] === '0A' && inodes.includes(cells[9]!))
    if (listening !== undefined) return Number.parseInt(listening[1]!.split(':')[1]!, 16)
    await Bun.sleep(100)
  }
  return null
}

type Asked = { method?: string; path?: string; headers?: Record<string, string>; body?: string }

const search = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search_documents_tool', arguments: { query: 'pelican' } },
}

function request(asked: Asked, port: number): string {
  const { method = 'POST', path = '/mcp', body = JSON.stringify(search) } = asked
  const headers = {
    Host: `127.0.0.1:${port}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    Connection: 'close',
    ...(method === 'GET' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...asked.headers,
  }
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  return `${method} ${path} HTTP/1.1\r\n${lines}\r\n${method === 'GET' ? '' : body}`
}

/**
 * Requests that must be refused: each lacks the token, or has the token but a forbidden host or
 * origin.
 */
function requests(port: number): Record<string, string> {
  const owner = { Authorization: `Bearer ${token}` }
  const from = (headers: Record<string, string>) => request({ headers }, port)
  const body = (text: string) => request({ body: text }, port)
  return {
    'no token': from({}),
    'a wrong token': from({ Authorization: 'Bearer a-token-of-the-attack-0123456788' }),
    'a beginning of the token': from({ Authorization: `Bearer ${token.slice(0, -1)}` }),
    'a token and more': from({ Authorization: `Bearer ${token}x` }),
    'another scheme': from({ Authorization: `Basic ${btoa(`og:${token}`)}` }),
    'the token in the path': request({ path: `/mcp?token=${token}&access_token=${token}` }, port),
    'a foreign host': from({ ...owner, Host: 'evil.example' }),
    'no host': from({ ...owner, Host: '' }),
    'a host with a user': from({ ...owner, Host: `127.0.0.1@evil.example:${port}` }),
    'a name like ours': from({ ...owner, Host: `localhost.evil.example:${port}` }),
    'a foreign origin': from({ ...owner, Origin: 'https://evil.example' }),
    'the origin null': from({ ...owner, Origin: 'null' }),
    'a path around': request({ path: '/health/../mcp' }, port),
    'a path encoded': request({ path: '/%6dcp/%2e%2e/mcp' }, port),
    'a path of a file': request({ method: 'GET', path: '/../../../../etc/passwd' }, port),
    'many brackets': body('['.repeat(1_000_000)),
    'a deep object': body('{"a":'.repeat(200_000)),
    'a batch': body(JSON.stringify(Array(5000).fill(search))),
    'a large body': body('"'.padEnd(9 * 2 ** 20, 'x')),
    'a length that lies': from({ 'Content-Length': '999999999999' }),
    'two lengths': from({ 'content-length': '3', 'Transfer-Encoding': 'chunked' }),
    'a long header': from({ 'X-Long': 'x'.repeat(100_000) }),
    'many headers': from(Object.fromEntries([...Array(3000).keys()].map((n) => [`X-${n}`, 'y']))),
    'no request': '\0\x01\x02\r\n\r\n',
    'a method of its own': request({ method: 'PELICAN' }, port),
    TLS: '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
  }
}

/** Overwrites up to five of the first 400 bytes with separators and other special bytes. */
function changed(arena: Arena, bytes: string): string {
  const buffer = Buffer.from(bytes, 'latin1')
  const end = Math.max(1, Math.min(buffer.length, 400))
  for (let n = 1 + arena.random.below(5); n > 0; n--) {
    buffer[arena.random.below(end)] = arena.random.one([0, 10, 13, 32, 58, 255, 37])
  }
  return buffer.toString('latin1')
}

/** Sends bytes and returns the answer received within five seconds. */
function exchanged(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => void socket.write(Buffer.from(bytes, 'latin1')))
    const end = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(end, 5000)
    socket.on('data', (piece) => {
      answer = (answer + piece).slice(0, 20_000)
    })
    socket.on('error', end).on('close', end)
  })
}
