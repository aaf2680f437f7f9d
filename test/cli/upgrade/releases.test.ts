import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chooseArchive, fetchRelease, findPublisher } from '../../../src/cli/upgrade/releases.ts'
import { hostTarget } from '../../../scripts/build/target.ts'
import { writeSums } from '../../../scripts/release/release.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { serveRelease } from '../../support/servers/release.ts'

const target = hostTarget().name
const script = '#!/bin/sh\n'

test('accepts a signed release and rejects a modified one', async () => {
  await using temp = await createTempFolder('releases')
  using server = await serveRelease(temp.path, { version: '9.9.9', script })
  const from = { releases: server.base, publicKey: server.publicKey }
  const { release, folder } = await fetchRelease(from, null)
  expect(folder).toBe(`${server.base}/latest/download`)
  const file = `og-9.9.9-${target}.tar.zst`
  expect(chooseArchive(release, target)).toMatchObject({
    archive: { file },
    executable: { file: 'og' },
  })
  const { archives } = release.targets[target]!
  release.targets[target]!.archives = archives.filter((it) => it.file !== file)
  expect(chooseArchive(release, target).archive.file).toEndWith('.tar.gz')
  release.targets[target]!.archives = archives
  expect((await fetchRelease(from, '9.9.9')).release).toEqual(release)
  const refused = (expected: string, version: string | null = null) =>
    expect(fetchRelease(from, version)).rejects.toThrow(expected)
  await refused('the server answers 404', '1.2.3')
  server.answer = (name) => (name === 'release.json' ? new Response('{}') : null)
  await refused('Cannot trust release.json')
  server.answer = (name) => (name === 'SHA256SUMS' ? new Response('') : null)
  await refused('Cannot trust the signature: the content was changed')
  server.answer = (name) => (name.endsWith('minisig') ? new Response('') : null)
  await refused('Cannot trust the signature: it is not a minisign signature')
  server.answer = () => new Response('x'.repeat(5_000_000))
  await refused('it is over 4 MB')
  using other = await serveRelease(join(temp.path, 'other'), { version: '9.9.8', script })
  const key = { releases: server.base, publicKey: other.publicKey }
  server.answer = null
  await expect(fetchRelease(key, null)).rejects.toThrow('it was made with another key')
  const keys = { ed25519: server.secretKey, p256: null }
  for (const [changed, expected] of [
    [{ format: 2 }, 'Cannot read release.json: format: '],
    [{ targets: null }, 'Cannot read release.json: targets: '],
    [{ targets: { [target]: { archives: null } } }, `json: targets.${target}.archives: `],
    [{ missing: null }, 'Cannot read release.json: missing: '],
  ] as const) {
    writeFileSync(join(temp.path, 'release.json'), JSON.stringify({ ...release, ...changed }))
    await writeSums(temp.path, ['release.json'], { keys, comment: '' })
    await refused(expected)
  }
})

test('rejects a trial build and a release without this platform', async () => {
  await using temp = await createTempFolder('releases')
  using server = await serveRelease(temp.path, { version: '9.9.9', script })
  const from = { releases: server.base, publicKey: server.publicKey }
  const { release } = await fetchRelease(from, null)
  const check = (changed: object, name: string, expected: string) =>
    expect(() => chooseArchive({ ...release, ...changed }, name)).toThrow(expected)
  check({ missing: { amiga: 'no LanceDB' } }, 'amiga', 'was not built for amiga: no LanceDB')
  const trial = { [target]: { ...release.targets[target], trial: 'LanceDB 0.31.0' } }
  check({ targets: trial }, target, `for ${target} is a trial (LanceDB 0.31.0)`)
})

test('reports which release settings a build lacks', () => {
  expect(() => findPublisher({})).toThrow('this build has no release URL')
  expect(() => findPublisher({ OG_UPDATE_URL: 'file:///x' })).toThrow('has no release URL')
  expect(() => findPublisher({ OG_UPDATE_URL: 'https://x.test/' })).toThrow(
    'no public key for them',
  )
  const env = { OG_UPDATE_URL: 'https://x.test/', OG_UPDATE_KEY: 'RW' }
  expect(findPublisher(env)).toEqual({ releases: 'https://x.test', publicKey: 'RW' })
})
