/** Adds a source that is given instead of a name with dist/og. */
import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, type World } from '../../support/e2e.ts'

function writeDocs(world: World, ...path: string[]): void {
  const folder = join(world.folder, 'cwd', ...path)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'a.md'), `# Lamp\n\nTrim the wick of ${path.join(' ')}.\n`)
}

test('adds a folder under its own name', async () => {
  await using world = await createWorld()
  writeDocs(world, 'handbook', 'docs')
  const { exitCode, stderr } = await world.og(['add', './handbook/docs'])
  expect(exitCode).toBe(0)
  expect(stderr).toMatch(/^handbook: \/.*\/handbook\/docs\n/)
  expect((await world.og(['query', 'wick', '-l', 'handbook'])).stdout).toContain('Trim the wick')
  // Adding the same source again updates the library.
  expect((await world.og(['add', './handbook/docs'])).exitCode).toBe(0)
})

test('rejects a name that another source already has', async () => {
  await using world = await createWorld()
  writeDocs(world, 'one', 'handbook')
  writeDocs(world, 'two', 'handbook')
  await world.og(['add', './one/handbook'])
  await world.check(['add', './two/handbook'], {
    exitCode: 2,
    stderr: /^error: The name "handbook" is taken: .*\/one\/h.*\nhint: og add \.\/two\S+ --as NAME/,
  })
  expect((await world.og(['add', './two/handbook', '--as', 'second'])).exitCode).toBe(0)
  const listed = JSON.parse((await world.og(['list', '--json'])).stdout)
  expect(JSON.stringify(listed)).toContain('second')
  await world.check(['add', './one/handbook', '-s', './two/handbook'], {
    exitCode: 2,
    stderr: /^error: Cannot use library name/,
  })
  await world.check(['add', 'fastapi', '--as', 'other'], {
    exitCode: 2,
    stderr: /^error: --as gives the name of a library from a source/,
  })
})

test('reads a file or folder with the given name in the current folder, unless a list has the library', async () => {
  await using world = await createWorld()
  for (const name of ['notes', 'react']) writeDocs(world, name)
  expect((await world.og(['add', 'notes'])).stderr).toMatch(/^notes: \/.*\/cwd\/notes\n/)
  expect((await world.og(['query', 'wick', '-l', 'notes'])).stdout).toContain('wick of notes')
  writeFileSync(join(world.folder, 'cwd', 'kit.txt'), 'Trim the wick of the kit.\n')
  expect((await world.og(['add', 'kit.txt'])).stderr).toMatch(/^kit: \/.*\/cwd\/kit.txt\n/)
  // The library's name in a list takes precedence over a folder of the same name.
  writeFileSync(
    join(world.folder, 'lists.json'),
    JSON.stringify({
      react: { type: 'local_path', local_path: join(world.folder, 'cwd', 'notes') },
    }),
  )
  const lists = ['--sources-file', join(world.folder, 'lists.json')]
  const { stderr, exitCode } = await world.og(['add', 'react', ...lists])
  expect(exitCode).toBe(0)
  expect(stderr).toContain(
    'hint: "react" is taken for the library of that name; ' + 'og add ./react reads the one here\n',
  )
  expect((await world.og(['query', 'wick', '-l', 'react'])).stdout).toContain('wick of notes')
})
