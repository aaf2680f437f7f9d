import { expect, test } from 'bun:test'
import { openHome } from '../../../support/run-og.ts'
import { serveLocal } from '../../../support/servers/serve-local.ts'

test('serve --health and memory serve --health report whether a server is up', async () => {
  using home = openHome()
  let status = 200
  using server = serveLocal(
    ({ url }) => new Response('', { status: url.endsWith('/health') ? status : 404 }),
  )
  const port = ['--port', `${server.port}`]
  for (const words of [['serve'], ['memory', 'serve']]) {
    status = 200
    // If a server listens on a wildcard address, --health checks it on the loopback address.
    for (const host of [[], ['--host', '0.0.0.0']]) {
      const ran = await home.run([...words, '--health', ...host, ...port])
      expect(ran).toMatchObject({ code: 0, stdout: 'ok\n' })
    }
    status = 503
    const ran = await home.run([...words, '--health', ...port])
    expect(ran.stderr).toMatch(/no healthy .*: status 503/)
    expect(ran.code).toBe(1)
  }
})
