import { expect, test } from 'bun:test'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, handbook, type World } from '../support/e2e.ts'
import { serveFolder } from '../support/pack/server.ts'

/** Creates a world with two versions of a library, packed into a folder. */
async function packed(): Promise<World & { packs: string }> {
  const world = await createWorld()
  const packs = join(world.folder, 'cwd', 'packs')
  for (const version of ['1.0', '1.1']) {
    const docs = join(world.folder, `docs-${version}`)
    cpSync(handbook, docs, { recursive: true })
    writeFileSync(join(docs, 'news.md'), `# News\n\nVersion ${version} brews tea.\n`)
    await world.json(['add', 'kettle', '-s', docs, '-v', version, '--json'])
    mkdirSync(packs, { recursive: true })
    await world.og(['pack', `kettle@${version}`, '-o', join(packs, `kettle-${version}.ogpack`)])
    await world.json(['remove', 'kettle', '-v', version, '-y', '--json'])
  }
  return Object.assign(world, { packs })
}

test('builds, adds and searches a signed registry, and installs packs from it', async () => {
  await using world = await packed()
  const { stdout: publicKey } = await world.og(['registry', 'key', 'og.key'])
  await world.check(['registry', 'key', 'og.key'], {
    exitCode: 2,
    stderr: /^error: Cannot write key ".*og\.key": file already exists/,
  })
  const build = ['registry', 'build', 'packs', '--key', 'og.key']
  await world.check(build, { stdout: /packs: serial 1, 2 packs \(2 added, 0 removed\)\n$/ })
  await world.check(build, { stdout: /packs: unchanged, serial 1, 2 packs\n$/ })
  using server = await serveFolder(world.packs)
  await world.check(['registry', 'add', server.url], {
    exitCode: 2,
    stderr: /^error: Cannot trust registry "http.*": no key was given\nhint: --key/,
  })
  await world.check(['registry', 'add', server.url, '--key', 'og.key.pub', '--name', 'team'], {
    stdout: /^team: 2 packs from http/,
  })
  expect(await world.json(['registry', 'list', '--json'])).toEqual([
    { name: 'team', url: server.url, signed: true, serial: 1 },
  ])
  expect((await world.json(['registry', 'search', 'KETT', '--json'])).length).toBe(2)
  // The server does not send an unchanged index again.
  expect(server.statuses).toContain(304)
  await world.check(['add', 'kettle@1.0'], {
    stdout: /^kettle 1\.0: added\n/,
    stderr: 'kettle 1.0: pack of team\nhint: to build it here instead: --from source\n',
  })
  await world.og(['add', 'kettle'])
  const versions = (await world.json(['list', '--json'])).map((it: any) => [it.version, it.pack])
  expect(versions).toEqual([
    ['1.0', `${server.url}/kettle-1.0.ogpack`],
    ['1.1', `${server.url}/kettle-1.1.ogpack`],
  ])
  await world.check(['add', 'kettle@7', '--from', 'pack'], {
    exitCode: 2,
    stderr: /^error: No registry has a pack of "kettle" 7\n/,
  })
  await world.check(['copy', 'team', 'mirror', '--version', '1.0'], {
    stdout: 'kettle 1.0: copied\n',
  })
  await world.check(['copy', server.url, 'mirror'], {
    stdout: 'kettle 1.0: unchanged\nkettle 1.1: copied\n',
  })
  const mirror = { OG_DB_PATH: 'mirror' }
  const { hits } = await world.json(['query', 'brews tea', '--json'], { env: mirror })
  expect(hits[0]).toMatchObject({ library: 'kettle', version: '1.1' })
  const pack = readFileSync(join(world.packs, 'kettle-1.1.ogpack'))
  writeFileSync(join(world.packs, 'kettle-1.1.ogpack'), pack.subarray(0, 2000))
  await world.check(['copy', 'team', 'other'], {
    exitCode: 1,
    stdout: 'kettle 1.0: copied\n',
    stderr: /^error: .*kettle-1\.1\.ogpack/,
  })
  writeFileSync(join(world.packs, 'kettle-1.1.ogpack'), pack)
  await world.check(['copy', 'team', 'other'], {
    stdout: 'kettle 1.0: unchanged\nkettle 1.1: copied\n',
  })
  expect(publicKey).toMatch(/^RW[\w+/=]{54}\n$/)
  await world.check(['registry', 'remove', 'team'], { stdout: /^Removed team/ })
  await world.check(['registry', 'list'], { stderr: 'No registries.\n' })
})

test('rejects an index that was modified, is outdated, has expired or has another key', async () => {
  await using world = await packed()
  const index = join(world.packs, 'index.json')
  const [key] = (await world.og(['registry', 'key', 'og.key'])).stdout.split('\n')
  await world.og(['registry', 'key', 'other.key'])
  const build = (...more: string[]) =>
    world.og(['registry', 'build', 'packs', '--key', 'og.key', ...more])
  await build()
  const [first, signature] = [index, `${index}.minisig`].map((path) => readFileSync(path))
  await world.check(['registry', 'add', 'packs', '--key', 'other.key.pub'], {
    exitCode: 2,
    stderr: /^error: Cannot use registry ".*": Cannot trust .* another key\n/,
  })
  await world.og(['registry', 'add', 'packs', '--key', key!])
  const refused = (why: RegExp) =>
    world.check(['registry', 'search', 'kettle'], { exitCode: 2, stderr: why })
  writeFileSync(index, readFileSync(index, 'utf8').replace('1.1', '1.2'))
  await refused(/^error: Cannot use registry .* the content was changed\n/)
  writeFileSync(index, first!)
  await build('--yank', 'kettle@1.1')
  await world.check(['registry', 'search', 'kettle'], {
    stdout: /^LIBRARY.*\nkettle +1\.0 [^\n]*\n$/,
  })
  writeFileSync(index, first!)
  writeFileSync(`${index}.minisig`, signature!)
  await refused(/^error: Cannot use registry .*: its serial is 1, and 2 was seen before\n/)
  await world.og(['registry', 'build', 'packs', '--key', 'og.key', '--yank', 'kettle@1.1'])
  await world.check(['add', 'kettle'], { stdout: /^kettle 1\.0: added\n/, stderr: /pack of packs/ })
  await world.check(['registry', 'build', 'packs'], {
    exitCode: 2,
    stderr: /^error: Cannot build registry ".*": its index was signed\n/,
  })
})

test('never changes a published pack, and installs only published packs', async () => {
  await using world = await packed()
  await world.og(['registry', 'build', 'packs'])
  await world.check(['registry', 'add', 'packs', '--trust'], { stdout: /^packs: 2 packs from / })
  cpSync(join(world.packs, 'kettle-1.0.ogpack'), join(world.packs, 'kettle-1.1.ogpack'))
  await world.check(['add', 'kettle@1.1'], {
    exitCode: 2,
    stderr: /error: Cannot use pack ".*": the registry lists a different pack\n$/,
  })
  await world.check(['registry', 'build', 'packs'], {
    exitCode: 2,
    stderr: /"kettle-1\.1\.ogpack" was published with other bytes\nhint: /,
  })
})

test("updates to the newest pack, and lets an agent install from the user's registry", async () => {
  await using world = await packed()
  const build = () => world.og(['registry', 'build', 'packs'])
  await build()
  using server = await serveFolder(world.packs)
  await world.og(['registry', 'add', server.url, '--trust', '--name', 'team'])
  // The agent is not allowed to reach any host or folder.
  const agent = { env: { OG_REACH: '{"hosts":[],"folder":null}' } }
  await world.check(
    ['add', 'kettle@1.0'],
    { stdout: /^kettle 1\.0: added\n/, stderr: /pack of team/ },
    agent,
  )
  await world.check(
    ['add', `${server.url}/kettle-1.1.ogpack`, '--trust'],
    { exitCode: 2, stderr: /^error: Cannot add a pack for an agent: it is not signed\n/ },
    agent,
  )
  await world.check(['update', 'kettle'], { stdout: 'kettle 1.0: unchanged (9 pages)\n' })
  await world.check(['add', 'kettle@1.1', '--as', 'jug'], {
    stdout: /^jug 1\.1: added\n/,
    stderr: /pack of team/,
  })
  const docs = join(world.folder, 'docs-1.0')
  writeFileSync(join(docs, 'spout.md'), '# Spout\n\nThe spout is new.\n')
  await world.og(['add', 'kettle', '-s', docs, '-v', '1.0', '--from', 'source', '-y'])
  await world.og(['pack', 'kettle@1.0', '-o', 'packs/kettle-1.0+2.ogpack'])
  await world.og(['rollback', 'kettle'])
  await build()
  await world.check(['update', 'kettle'], {
    stdout: /^kettle 1\.0: updated\n {2}pages {4}10 \(1 added, 0 modified/,
  })
  await world.check(['update', 'jug'], { stdout: 'jug 1.1: unchanged (9 pages)\n' })
  const kettle = (await world.json(['list', '--json'])).find((it: any) => it.library === 'kettle')
  expect(kettle.pack).toBe(`${server.url}/kettle-1.0+2.ogpack`)
  await world.og(['registry', 'remove', 'team'])
  await world.check(['update', 'kettle'], {
    exitCode: 2,
    stderr: /its pack names a source of another machine: "docs-1\.0"\n/,
  })
})
