import { expect, test } from 'bun:test'
import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, handbook } from '../support/e2e.ts'
import { servePack } from '../support/pack/server.ts'

const summary =
  'kettle 1: added\n' +
  '  pages    8 (8 added, 0 modified, 0 deleted, 0 unchanged)\n' +
  '  chunks   13 (0 embedded now)\n' +
  '  skipped  0\n  failed   0\n  time     N s\n'

test('a pack made on one machine is searchable on another without embedding', async () => {
  await using made = await createWorld({ embeddings: true })
  await made.json(['add', 'kettle', '-s', handbook, '-v', '1', '--json'])
  await made.check(['pack', 'kettle@1', '--vectors', 'int8'], {
    stdout: /^kettle-1\.ogpack: kettle 1, 8 pages, 13 chunks, [\d.]+ kB\n$/,
  })
  const pack = join(made.folder, 'cwd', 'kettle-1.ogpack')
  await using world = await createWorld({ embeddings: true })
  const refusal = {
    exitCode: 2,
    stderr:
      `error: Cannot trust "${pack}": it is not signed\n` +
      'hint: --trust adds it anyway: its pages contain whatever its maker wrote\n',
  }
  for (const args of [
    ['add', pack],
    ['add', pack, '-y'],
  ])
    await world.check(args, refusal)
  expect(existsSync(world.store)).toBe(false)
  await world.check(['add', pack, '--trust'], { stdout: summary })
  expect(await world.json(['list', '--json'])).toMatchObject([{ library: 'kettle', pack }])
  const question = ['query', 'how do I cancel a brew?', '-k', '3', '--json']
  const [there, here] = [await made.json(question), await world.json(question)]
  expect(here.hits.map((it: { url: string }) => it.url)).toEqual(
    there.hits.map((it: { url: string }) => it.url),
  )
  await world.check(['doctor', '--deep'], { stdout: /ok/, stderr: /.*/s })
})

test('update ignores a source folder recorded in a pack, but reads one that the user gives', async () => {
  await using world = await createWorld()
  const docs = join(world.folder, 'docs')
  cpSync(handbook, docs, { recursive: true })
  await world.json(['add', 'kettle', '-s', docs, '-v', '1', '--json'])
  await world.check(['pack', 'kettle', '-o', 'k.ogpack'], { stdout: /^k\.ogpack: / })
  await world.json(['remove', 'kettle', '-v', '1', '-y', '--json'])
  await world.check(['add', 'k.ogpack', '--as', 'jug', '--trust'], {
    stdout: summary.replace('kettle', 'jug'),
  })
  // The source in the pack does not refer to the folder of the same name in the current folder.
  cpSync(handbook, join(world.folder, 'cwd', 'docs'), { recursive: true })
  await world.check(['update', 'jug'], {
    exitCode: 2,
    stderr:
      'error: Cannot update library "jug" version "1": its pack names a source of another ' +
      'machine: "docs"\n' +
      'hint: add a newer pack, or give a source: og update jug --source SOURCE\n',
  })
  writeFileSync(join(docs, 'more.md'), '# More\n\nA spout.\n')
  await world.check(['update', 'jug', '--source', docs], {
    stdout: /^jug 1: updated\n {2}pages {4}9/,
  })
  await world.check(['rollback', 'jug'], { stdout: /\(8 pages\)\n$/ })
})

test('kill -9 during the installation of a pack leaves the whole pack or no trace of it', async () => {
  await using world = await createWorld()
  await world.json(['add', 'kettle', '-s', handbook, '-v', '1', '--json'])
  await world.og(['pack', 'kettle', '-o', 'k.ogpack'])
  await world.json(['remove', 'kettle', '-v', '1', '-y', '--json'])
  for (const ms of [40, 80, 120, 160, 220, 300]) {
    const run = world.start(['add', 'k.ogpack', '--trust'])
    await Bun.sleep(ms)
    run.kill('SIGKILL')
    await run.ended
    const listed = await world.json(['list', '--json'])
    if (listed.length > 0) expect(listed).toMatchObject([{ library: 'kettle', pages: 8 }])
    expect((await world.og(['doctor'])).stdout).not.toMatch(/fail/i)
  }
  await world.json(['add', 'k.ogpack', '--trust', '--json'])
  expect((await world.json(['query', 'brew', '--json'])).hits.length).toBeGreaterThan(0)
  expect(readdirSync(join(world.store, 'generations')).length).toBeLessThanOrEqual(2)
})

test('reports in one line why packing or checking fails', async () => {
  await using world = await createWorld()
  await world.check(['pack'], {
    exitCode: 2,
    stderr:
      'error: Name a library to pack, or a file to check\n' +
      'hint: og pack LIBRARY; og pack --check FILE\n',
  })
  await world.check(['pack', 'none'], { exitCode: 2, stderr: /^error: .*none/ })
  await world.check(['pack', 'none', '--vectors', 'f8'], {
    exitCode: 2,
    stderr: 'error: Cannot use "f8" for vectors: must be one of f32, f16, int8, none\n',
  })
  await world.check(['pack', '--check', 'none.ogpack'], {
    exitCode: 2,
    stderr: 'error: Cannot use pack "none.ogpack": no such file\n',
  })
  // A missing file is reported before og asks for trust.
  for (const place of ['none.ogpack', '/none/x.ogpack']) {
    await world.check(['add', place], {
      exitCode: 2,
      stderr: `error: Cannot use pack "${place}": no such file\n`,
    })
  }
  writeFileSync(join(world.folder, 'cwd', 'x.ogpack'), 'x'.repeat(600))
  await world.check(['add', 'x.ogpack', '--trust'], {
    exitCode: 2,
    stderr: 'error: Cannot use pack "DIR/cwd/x.ogpack": it is not a tar archive\n',
  })
})

test('adds a pack from the web, and resumes an interrupted download', async () => {
  await using world = await createWorld()
  await world.json(['add', 'kettle', '-s', handbook, '-v', '1', '--json'])
  await world.og(['pack', 'kettle', '-o', 'k.ogpack'])
  await world.json(['remove', 'kettle', '-v', '1', '-y', '--json'])
  using server = await servePack(join(world.folder, 'cwd', 'k.ogpack'))
  await world.check(['add', server.url], {
    exitCode: 2,
    stderr: /^error: Cannot trust "http.*": it is not signed\nhint: /,
  })
  server.breakAfter = 6000
  await world.check(['add', `${server.url}?token=abc`, '--trust'], { stdout: summary })
  expect(await world.json(['list', '--json'])).toMatchObject([{ pack: `${server.url}?token=***` }])
  await world.check(['add', `${server.url}`, '--trust'], { stdout: /^kettle 1: unchanged\n/ })
})
