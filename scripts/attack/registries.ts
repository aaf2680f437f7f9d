import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { emptyFiles, packed, page } from './archives.ts'
import type { Concern } from './arena.ts'

/** The registry of a package manager that lies, on loopback. */
export const hostileRegistries: Concern = {
  what: 'hostile registries',
  async attack(arena) {
    let nAsked = 0
    // A host of the same machine to which the registry redirects: `og` must not send it a request.
    using secret = Bun.serve({
      port: 0,
      hostname: '127.0.0.2',
      fetch: () => (nAsked++, Response.json({})),
    })
    const archives = await packageArchives(String(secret.url))
    const answers = metadata(String(secret.url))
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch({ url }) {
        const [, name = '', part] = new URL(url).pathname.split('/')
        if (part === '-') return archives[name]?.() ?? new Response('no', { status: 404 })
        const tarball = new URL(`/${name}/-/x.tgz`, url).href
        const isPackage = part === undefined && archives[name] !== undefined
        return answers[name]?.() ?? (isPackage ? release({ dist: { tarball } }) : notFound())
      },
    })
    const names = [...Object.keys(archives), ...Object.keys(answers)]
    const env = { npm_config_registry: String(server.url) }
    const escaped = join(arena.folder, 'cwd', 'escaped.md')
    for (const name of names) {
      if (!arena.hasTime(names.length)) return
      const added = await arena.og(name, ['add', `npm:${name}`], { env })
      arena.round()
      const isGood = name === 'good' || name === 'links' || name === 'escape'
      if (isGood !== (added.exitCode === 0))
        arena.fail(name, `ended with ${added.exitCode}: ${added.stderr}`)
      if (nAsked > 0) arena.fail(name, 'a private host of a redirect was asked')
      if (existsSync(escaped)) arena.fail(name, 'a file escaped from the archive')
      nAsked = 0
    }
  },
}

const notFound = () => new Response('{}', { status: 404 })
const redirect = (to: string) => new Response(null, { status: 302, headers: { Location: to } })

function release(fields: object): Response {
  const versions = { '1.0.0': { name: 'x', version: '1.0.0', ...fields } }
  return Response.json({ 'dist-tags': { latest: '1.0.0' }, versions })
}

type Answers = Record<string, () => Response>

async function packageArchives(secret: string): Promise<Answers> {
  const good = gzipSync(await packed([{ name: 'package/README.md' }]))
  const outside = ['../escaped.md', '/escaped.md', 'package/../../escaped.md', '..\\escaped.md']
  const escape = await packed([...outside, 'package/README.md'].map((name) => ({ name })))
  const links = await packed([
    { name: 'package/docs', type: 'symlink', linkname: '/etc' },
    { name: 'package/a.md', type: 'link', linkname: '../../etc/passwd' },
    { name: 'package/README.md' },
  ])
  const many = gzipSync(emptyFiles(300_000), { level: 1 })
  const zeros = gzipSync(Buffer.alloc(50e6))
  const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(zeros) })
  return {
    good: () => new Response(good),
    escape: () => new Response(gzipSync(escape)),
    links: () => new Response(gzipSync(links)),
    many: () => new Response(many),
    cut: () => new Response(good.subarray(0, good.length - 20)),
    endless: () => new Response(endless()),
    page: () => new Response(`<html>${page.toString()}</html>`),
    redirected: () => redirect(secret),
    file: () => redirect('file:///etc/passwd'),
    loop: () => redirect('/loop/-/x.tgz'),
  }
}

function metadata(secret: string): Answers {
  const versions = Array.from({ length: 200_000 }, (_, at) => `"1.0.${at}":{"dist":{}}`)
  const endless = () =>
    new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.from('"a":1,'.repeat(9999))),
    })
  return {
    huge: () => new Response(`{"versions":{${versions.join()}}}`),
    deep: () => new Response('['.repeat(5_000_000)),
    unending: () => new Response(endless()),
    none: () => Response.json({ versions: null, 'dist-tags': null }),
    odd: () => release({ dist: { tarball: 5 }, repository: { url: ['x'] }, homepage: {} }),
    local: () => release({ dist: { tarball: 'file:///etc/passwd' } }),
    command: () => release({ repository: { url: 'ext::sh -c touch% escaped.md' }, dist: {} }),
    option: () => release({ repository: { url: '--upload-pack=touch escaped.md' }, dist: {} }),
    moved: () => redirect(secret),
  }
}
