import { expect, test } from 'bun:test'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, handbook, type World } from '../../support/e2e.ts'
import {
  dockerConfig,
  pushFiles,
  serveOci,
  startDockerRegistry,
  type OciServer,
} from '../../support/servers/oci.ts'
import { testWhere } from '../../support/where.ts'

/** Creates a world with a signed registry of two packs in a folder, but without their library. */
async function packed(): Promise<World & { files: () => Record<string, Uint8Array> }> {
  const world = await createWorld()
  const packs = join(world.folder, 'cwd', 'packs')
  mkdirSync(packs)
  for (const version of ['1.0', '1.1']) {
    const docs = join(world.folder, `docs-${version}`)
    cpSync(handbook, docs, { recursive: true })
    writeFileSync(join(docs, 'news.md'), `# News\n\nVersion ${version} brews tea.\n`)
    await world.json(['add', 'kettle', '-s', docs, '-v', version, '--json'])
    await world.og(['pack', `kettle@${version}`, '-o', packs])
    await world.json(['remove', 'kettle', '-v', version, '-y', '--json'])
  }
  await world.og(['registry', 'key', 'og.key'])
  await world.og(['registry', 'build', 'packs', '--key', 'og.key'])
  const names = readdirSync(packs)
    .filter((it) => !it.startsWith('.'))
    .sort()
  const files = () =>
    Object.fromEntries(names.map((name) => [name, readFileSync(join(packs, name))]))
  return Object.assign(world, { files })
}

/** Checks everything that a user does with such a registry. */
async function check(server: OciServer): Promise<void> {
  await using world = await packed()
  const { host } = server
  const digest = await pushFiles(host, { repository: 'team/docs', tag: 'v1', files: world.files() })
  const place = `oci://${host}/team/docs:v1`
  const refused = {
    exitCode: 2,
    stderr: /^error: Cannot use "oci:.*": (it lets nobody in|its token)/,
  }
  const docker = join(world.env.HOME!, '.docker')
  mkdirSync(docker)
  writeFileSync(join(docker, 'config.json'), dockerConfig('other.example'))
  await world.check(['registry', 'add', place, '--key', 'og.key.pub'], refused)
  writeFileSync(join(docker, 'config.json'), dockerConfig(host))
  await world.check(['registry', 'add', place, '--key', 'og.key.pub'], {
    stdout: `docs: 2 packs from ${place}\n`,
  })
  await world.check(['registry', 'search', 'kettle'], {
    stdout: /^LIBRARY.*\nkettle +1\.0 .*\nkettle/,
  })
  await world.check(['add', 'kettle@1.0'], {
    stdout: /^kettle 1\.0: added\n/,
    stderr: /pack of docs/,
  })
  const [listed] = await world.json(['list', '--json'])
  expect(listed.pack).toBe(`${place}#kettle-1.0.ogpack`)
  // Every byte is checked against a pinned digest, because no registry vouches for the pack.
  const pinned = `oci://${host}/team/docs@${digest}#kettle-1.1.ogpack`
  await world.check(['add', pinned], { exitCode: 2, stderr: /^error: Cannot trust "oci:/ })
  await world.check(['add', pinned, '--trust'], { stdout: /^kettle 1\.1: added\n/ })
  await world.check(['add', place, '--trust'], {
    exitCode: 2,
    stderr: /it has 2 packs \(kettle-1.0.ogpack, kettle-1.1.ogpack\)\nhint: name one behind #/,
  })
  await world.check(['add', `oci://${host}/team/none`, '--trust'], {
    exitCode: 2,
    stderr: /the registry has no such thing|lets nobody in/,
  })
}

const lack = Bun.which('docker-registry') === null ? 'no docker-registry' : null

testWhere(lack)("installs packs from Debian's docker-registry after a login", async () => {
  await using world = await createWorld()
  using server = await startDockerRegistry(join(world.folder, 'registry'))
  await check(server)
})

test('installs packs from a registry that requires tokens and redirects blobs to another host', async () => {
  using server = serveOci({ isPrivate: true })
  await check(server)
  const blobs = server.requests.filter((it) => it.startsWith('blob'))
  expect(blobs.length).toBeGreaterThan(3)
  // og sends no token to another host.
  expect(new Set(blobs)).toEqual(new Set(['blob of nobody']))
})

test('rejects contents with another digest, and reports an invalid address', async () => {
  await using world = await packed()
  using server = serveOci()
  const { host } = server
  const name = 'kettle-1.0.ogpack'
  const [pack, other] = [world.files()[name]!, world.files()['kettle-1.1.ogpack']!]
  const files = { [name]: pack }
  await pushFiles(host, { repository: 'docs', tag: 'latest', files })
  server.swap(pack, other)
  await world.check(['add', `oci://${host}/docs`, '--trust'], {
    exitCode: 2,
    stderr: /^error: Cannot use pack "oci:.*": its bytes are not those of its digest\n/,
  })
  server.swap(pack, pack)
  await world.check(['add', `oci://${host}/docs`, '--trust'], { stdout: /^kettle 1\.0: added\n/ })
  const wrong = `oci://${host}/docs@sha256:${'0'.repeat(64)}`
  await world.check(['add', wrong, '--trust'], { exitCode: 2, stderr: /has no such thing\n$/ })
  await world.check(['registry', 'add', `oci://${host}/docs`, '--trust'], {
    exitCode: 2,
    stderr: /^error: Cannot use registry "oci:.*": it has no index\.json\n$/,
  })
  for (const place of ['oci://x', 'oci://ann:secret@x/y', 'oci://x/../y']) {
    await world.check(['add', place, '--trust'], {
      exitCode: 2,
      stderr: /^error: Cannot use "oci:.*": it is not an address of an OCI registry\nhint/,
    })
  }
})
