import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../../package.json'
import { until } from '../until.ts'
import { serveLocal } from './serve-local.ts'

export type NpmRegistry = AsyncDisposable & { url: string }

/** A registry on loopback with the folders in `root`, each packed by npm. */
export function serveFolders(root: string, names: readonly string[]): NpmRegistry {
  const tarballs = Object.fromEntries(
    names.map((name) => {
      const ran = Bun.spawnSync(['npm', 'pack', '--silent', '--pack-destination', root], {
        cwd: join(root, name),
        env: { ...process.env, HOME: root },
      })
      return [name, join(root, ran.stdout.toString().trim())]
    }),
  )
  const server = serveLocal(({ url }) => {
    const { pathname, origin } = new URL(url)
    const name = pathname.slice(1).replace('.tgz', '')
    const path = tarballs[name]
    if (path === undefined) return new Response('{}', { status: 404 })
    if (pathname.endsWith('.tgz')) return new Response(Bun.file(path))
    const about = JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8'))
    const sum = new Bun.CryptoHasher('sha512').update(readFileSync(path)).digest('base64')
    const dist = { tarball: `${origin}/${name}.tgz`, integrity: `sha512-${sum}` }
    const versions = { [version]: { ...about, dist } }
    return Response.json({ name, 'dist-tags': { latest: version }, versions })
  })
  return { url: server.url.href, [Symbol.asyncDispose]: () => server.stop(true) }
}

/**
 * Starts verdaccio on loopback and publishes those folders with npm. It contacts no other registry.
 */
export async function serveVerdaccio(root: string, names: readonly string[]): Promise<NpmRegistry> {
  const port = await freePort()
  const config = join(root, 'verdaccio.yaml')
  writeFileSync(
    config,
    `storage: ${join(root, 'storage')}
max_body_size: 500mb
packages: { '**': { access: $all, publish: $anonymous } }
log: { type: stdout, format: json, level: error }
`,
  )
  const env = { PATH: process.env.PATH!, HOME: root }
  const child = Bun.spawn(['verdaccio', '--config', config, '--listen', `127.0.0.1:${port}`], {
    env,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  const url = `http://127.0.0.1:${port}/`
  await until('verdaccio answers', () =>
    fetch(`${url}-/ping`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  // npm requires a token for publishing; this registry accepts any.
  writeFileSync(join(root, '.npmrc'), `//127.0.0.1:${port}/:_authToken=nobody\n`)
  for (const name of names) {
    const publish = ['npm', 'publish', '--registry', url]
    const { exitCode, stderr } = Bun.spawnSync(publish, { cwd: join(root, name), env })
    if (exitCode !== 0) throw new Error(`npm publish of ${name}: ${stderr.toString()}`)
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}

async function freePort(): Promise<number> {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = server
  server.stop(true)
  return port
}
