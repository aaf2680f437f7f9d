import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openPackWeb } from '../../../src/library/pack/fetch-pack.ts'
import { openOci, findPackFile } from '../../../src/library/pack/oci.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { sha256 } from '../../../src/platform/hash.ts'
import { dockerConfig, pushFiles, serveOci } from '../../support/servers/oci.ts'
import { serveLocal } from '../../support/servers/serve-local.ts'

const bytes = Buffer.from('a pack')

test('finds files by title, and sends the login to no other host', async () => {
  await using temp = await createTempFolder('og-oci')
  using server = serveOci({ isPrivate: true })
  const { host } = server
  const files = { 'a.ogpack': bytes, 'index.json': Buffer.from('{}') }
  await pushFiles(host, { repository: 'a/b', tag: 'latest', files })
  writeFileSync(join(temp.path, 'config.json'), `\ufeff${dockerConfig(host)}`)
  const env = { DOCKER_CONFIG: temp.path }
  const place = `oci://${host}/a/b`
  const artifact = await openOci(place, { web: openPackWeb(), env })
  expect([...artifact.files.keys()]).toEqual(['a.ogpack', 'index.json'])
  const file = findPackFile(artifact, place)
  expect(file).toEqual({ sha256: sha256(bytes), size: bytes.length })
  const url = artifact.urlOf(file)
  expect(url).toBe(`http://${host}/v2/a/b/blobs/sha256:${sha256(bytes)}`)
  expect(artifact.headers(new URL(url)).authorization).toStartWith('Bearer ')
  expect(artifact.headers(new URL('http://127.0.0.1:1/x'))).toEqual({})
  expect(() => findPackFile(artifact, `${place}#b.ogpack`)).toThrow('it has no "b.ogpack"')
})

test('reports every invalid response of a registry in one line', async () => {
  await using temp = await createTempFolder('og-oci')
  mkdirSync(join(temp.path, 'empty'))
  const check = async (answer: () => Response, why: string) => {
    using server = serveLocal(answer)
    const place = `oci://127.0.0.1:${server.port}/a`
    const opening = { web: openPackWeb(), env: { DOCKER_CONFIG: join(temp.path, 'empty') } }
    await expect(openOci(place, opening)).rejects.toThrow(`Cannot use "${place}": ${why}`)
  }
  await check(() => new Response('x'), 'its manifest is not an object')
  await check(() => Response.json({ schemaVersion: 1 }), 'its manifest.schemaVersion is not 2')
  const layers = [{ digest: 'sha256:../..', size: 1 }]
  await check(
    () => Response.json({ schemaVersion: 2, layers }),
    'its manifest.layers[0].digest is not a SHA-256',
  )
  await check(() => new Response('', { status: 404 }), 'the registry has no such thing')
  await check(() => new Response('', { status: 403 }), 'it lets nobody in')
  const challenged = (challenge: string) => () =>
    new Response('', { status: 401, headers: { 'www-authenticate': challenge } })
  await check(challenged('Bearer realm="nowhere"'), 'it lets nobody in')
  await check(challenged('Negotiate'), 'it lets nobody in')
  await check(challenged('Basic realm="x"'), 'it lets nobody in')
})
