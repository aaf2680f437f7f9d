import { expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, type World } from '../../support/e2e.ts'
import { commit, git, writeFiles } from '../../support/repository.ts'

const pages = {
  'docs/a.md': '# Alpha\n\nThe alpha page.\n',
  'docs/b.md': '# Beta\n\nThe beta page.\n',
  'docs/c.md': '# Gamma\n\nThe gamma page.\n',
}

test('updates a repository, compares versions and rolls back', async () => {
  await using world = await createWorld()
  const repository = join(world.folder, 'repository')
  commit(repository, pages)
  const url = `file://${repository}`
  await world.json(['add', 'lib', '-s', url, '-d', 'docs', '--json'])
  await world.check(['update', 'lib'], { stdout: 'lib latest: unchanged (3 pages)\n' })
  commit(repository, { 'docs/a.md': '# Alpha\n\nThe alpha page.\n\n## More\n\nA walrus.\n' })
  await world.check(['update', '--all'], {
    stdout:
      'lib latest: updated\n' +
      '  pages    3 (0 added, 1 modified, 0 deleted, 2 unchanged)\n' +
      '  chunks   3 (0 embedded now)\n' +
      '  skipped  0\n' +
      '  failed   0\n' +
      '  time     N s\n',
  })
  const sides = /^lib latest of .{19}Z → lib latest of .{19}Z: /
  const { stdout } = await world.og(['diff', 'lib'])
  expect(stdout).toMatch(sides)
  expect(stdout.replace(sides, '')).toBe(
    'pages 0 added, 1 changed, 0 removed\n\n~ docs/a.md  Alpha\n    + Alpha > More\n',
  )
  const {
    pages: [page],
  } = await world.json(['diff', 'lib', 'WALRUS', '--json'])
  expect(page).toMatchObject({
    status: 'changed',
    path: 'docs/a.md',
    sections: [
      { status: 'added', heading: 'Alpha > More', before: null, after: '## More\n\nA walrus.' },
    ],
  })
  expect((await world.json(['diff', 'lib', 'badger', '--json'])).pages).toEqual([])
  await world.check(['rollback', 'lib'], { stdout: /^lib latest: as indexed .{20} \(3 pages\)\n$/ })
  expect((await world.json(['query', 'walrus', '--json'])).hits).toEqual([])
  await world.og(['rollback', 'lib'])
  expect((await world.json(['query', 'walrus', '--json'])).hits).toHaveLength(1)
})

test('rejects an update that loses pages, and reports failures of --all (W-35)', async () => {
  await using world = await createWorld()
  const [one, two] = ['one', 'two'].map((name) => join(world.folder, name))
  writeFiles(one!, pages)
  writeFiles(two!, pages)
  await world.json(['add', 'one', '-s', one!, '-v', '1', '--json'])
  await world.json(['add', 'two', '-s', two!, '-v', '1', '--json'])
  rmSync(join(one!, 'docs/a.md'))
  const refused =
    'Cannot update library "one" version "1": it had 3 pages, and the source now ' +
    'has only 2 (0 failed); nothing was changed\n' +
    'hint: with --force it is still published; "og rollback" undoes that\n'
  await world.check(['update', 'one'], { exitCode: 2, stderr: `error: ${refused}` })
  await world.check(['update', '--all'], {
    exitCode: 1,
    stdout:
      'two 1: unchanged (3 pages)\n' + '2 library versions: 0 updated, 1 unchanged, 1 failed\n',
    stderr: `error: one 1: ${refused}`,
  })
  const { results, failures } = await world.json(['update', '--all', '--json'])
  expect(results).toMatchObject([{ library: 'two', status: 'unchanged', kept: 0 }])
  const error = expect.stringMatching(/^Cannot update/)
  expect(failures).toMatchObject([{ library: 'one', version: '1', error }])
  await world.check(['update', 'one', '--force', '--json'], { stdout: /"pages": 2/ })
})

test('rejects invalid requests', async () => {
  await using world = await createWorld()
  const check = (args: string[], stderr: string | RegExp) =>
    world.check(args, { exitCode: 2, stderr })
  await check(
    ['update'],
    'error: Either provide a library name or use --all to update all libraries\n',
  )
  await check(['update', 'x', '--all'], 'error: --all cannot be used with x\n')
  await check(['update', '--all', '-v', '1'], 'error: --all cannot be used with --version\n')
  await check(['update', '--all', '-s', '.'], 'error: --all cannot be used with --source\n')
  await check(['update', 'x'], /^error: Library "x" not found\nhint: /)
  await check(['rollback', 'x'], /^error: Library "x" not found\nhint: /)
  await check(['diff', 'x'], /^error: Library "x" not found\nhint: /)
  await check(['diff', 'a b'], /^error: Cannot compare "a b": it contains no library name\n/)
  await check(['watch'], /^error: Nothing to watch/)
  await world.check(['update', '--all'], { stderr: 'No libraries found.\n' })
})

test('watch follows a folder until Ctrl-C, which ends it with exit code 130', async () => {
  await using world = await createWorld()
  const docs = join(world.folder, 'handbook')
  writeFiles(docs, pages)
  await world.json(['add', 'handbook', '-s', docs, '-v', '1', '--base-url', 'x:', '--json'])
  const watching = world.start(['watch', 'handbook'])
  await until(world, 'added', () => writeFiles(docs, { 'docs/d.md': '# Delta\n\nadded\n' }))
  watching.kill('SIGINT')
  const { exitCode, stdout, stderr } = await watching.ended
  expect(exitCode).toBe(130)
  expect(stderr).toBe(`Watching ${docs}; Ctrl-C ends.\n`)
  const lines = stdout
    .replace(/^\d\d:\d\d:\d\d /gm, '')
    .trimEnd()
    .split('\n')
  expect(lines[0]).toMatch(/^handbook 1: (unchanged|1 added)/)
  expect(lines.some((line) => line.includes('1 added, 0 modified, 0 deleted (0 embedded'))).toBe(
    true,
  )
})

/** Repeats a change until a query in another process finds it. */
async function until(world: World, word: string, change: () => void): Promise<void> {
  const latest = Date.now() + 240_000
  for (;;) {
    change()
    const { stdout } = await world.og(['query', word])
    if (stdout.includes(word)) return
    if (Date.now() > latest) throw new Error(`"${word}" was not found`)
    await Bun.sleep(100)
  }
}

test('survives kill -9 at ten moments of an update that copies most pages', async () => {
  await using world = await createWorld()
  const repository = join(world.folder, 'repository')
  const many = Array.from({ length: 12 }, (_, at) => [
    `docs/p${at}.md`,
    `# P${at}\n\nPage ${at}.\n`,
  ])
  commit(repository, { ...Object.fromEntries(many), 'docs/a.md': '# A\n\nstate0\n' })
  const url = `file://${repository}`
  await world.json(['add', 'lib', '-s', url, '-d', 'docs', '--json'])
  const started = performance.now()
  commit(repository, { 'docs/a.md': '# A\n\nstate1\n' })
  await world.json(['update', 'lib', '--json'])
  const wholeMs = performance.now() - started
  let killed = 0
  for (let at = 2; at < 12; at++) {
    commit(repository, { 'docs/a.md': `# A\n\nstate${at}\n` })
    const running = world.start(['update', 'lib'])
    await Promise.race([Bun.sleep(((at - 1.5) / 10) * wholeMs), running.ended])
    running.kill('SIGKILL')
    killed += Number((await running.ended).exitCode === 137)
    const texts = await world.json(['query', `state${at - 1} state${at}`, '-k', '50', '--json'])
    const states = texts.hits.filter(({ text }: { text: string }) => text.includes('state'))
    expect(states).toHaveLength(1)
    expect(await world.json(['list', '--json'])).toMatchObject([{ pages: 13, chunks: 13 }])
    await world.json(['update', 'lib', '--json'])
    expect((await world.og(['query', `state${at}`])).stdout).toContain(`state${at}`)
    expect(readdirSync(join(world.store, 'generations'))).toHaveLength(2)
  }
  expect(killed).toBeGreaterThan(0)
  expect(git(repository, 'status', '--porcelain')).toBe('')
})
