/** Tests the API reference of a repository with dist/og. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createWorld } from '../../support/e2e.ts'
import { commit } from '../../support/repository.ts'

test('adds, queries, gets and updates the API reference of a repository', async () => {
  await using world = await createWorld()
  const folder = join(world.folder, 'lamp')
  const wick = (more = '') =>
    `class Wick:\n    """Burns."""\n    def trim(self, mm: int = 1${more}): "Cuts the wick."\n`
  commit(folder, {
    'pyproject.toml': '',
    'docs/use.md': '# Use\n\nCall lamp.Wick.trim to cut the wick.\n',
    'lamp/__init__.py': 'from .wick import Wick\n',
    'lamp/wick.py': wick(),
  })
  const source = `file://${folder}`
  const json = async (args: string[]) => JSON.parse((await world.og([...args, '--json'])).stdout)
  expect(await json(['add', 'lamp', '-s', source, '-d', 'docs'])).toMatchObject({ pages: 2 })
  const titles = async (...args: string[]) =>
    (await json(['query', ...args])).hits.map((hit: { title: string }) => hit.title)
  expect(await titles('lamp.Wick.trim')).toEqual(['lamp.Wick', 'Use'])
  expect(await titles('lamp.Wick.trim', '--kind', 'guide')).toEqual(['Use'])
  expect(await titles('cut the wick', '--kind', 'api')).toEqual(['lamp.Wick'])
  const { stdout } = await world.og(['get', 'lamp.Wick.trim'])
  expect(stdout).toContain('```python\ndef trim(mm: int = 1)\n```\n\nCuts the wick.')
  commit(folder, { 'lamp/wick.py': wick(', *, slow=False') })
  expect(await json(['update', 'lamp'])).toMatchObject({
    results: [{ diff: { modified: 1, unchanged: 1 } }],
  })
  expect((await world.og(['get', 'Wick'])).stdout).toContain('def trim(mm: int = 1, *, slow=False)')
})

test('keeps the --api option of a source in updates', async () => {
  await using world = await createWorld()
  const folder = join(world.folder, 'lamp')
  const files = { 'docs/use.md': '# Use\n\nText.\n', 'lamp/__init__.py': 'def on(): ...\n' }
  commit(folder, { 'setup.py': '', ...files })
  const add = ['add', 'lamp', '-s', `file://${folder}`, '-d', 'docs', '--json']
  const pages = async (args: string[]) => JSON.parse((await world.og(args)).stdout).pages
  expect(await pages([...add, '--api', 'none'])).toBe(1)
  commit(folder, { 'lamp/__init__.py': 'def off(): ...\n' })
  const updated = JSON.parse((await world.og(['update', 'lamp', '--json'])).stdout)
  expect(updated.results[0].pages).toBe(1)
  expect(await pages([...add, '--api', 'only', '--force'])).toBe(1)
  expect((await world.og(['get', 'lamp.off'])).stdout).toContain('def off()')
  await world.check([...add.slice(0, -1), '--api', 'all'], {
    exitCode: 2,
    stderr: /"all" for api: must be one of with, only, none/,
  })
})

test('lists public names and compares them with the previous build', async () => {
  await using world = await createWorld()
  const folder = join(world.folder, 'lamp')
  const code = (name: string, parameters: string) =>
    `class Wick:\n    """Burns."""\n    def trim(self, ${parameters}): ...\ndef ${name}(): ...\n`
  commit(folder, { 'setup.py': '', 'lamp/__init__.py': code('on', 'mm: int = 1') })
  await world.og(['add', 'lamp', '-s', `file://${folder}`, '--api', 'only'])
  await world.check(['api', 'lamp'], {
    stdout: 'lamp\n  .Wick  class Wick\n    .trim  def trim(mm: int = 1)\n  .on  def on()\n',
  })
  await world.check(['api', 'lamp', 'lamp.wick.'], {
    stdout: 'lamp.Wick.trim  def trim(mm: int = 1)\n',
  })
  await world.check(['api', 'lamp', 'x'], {
    exitCode: 2,
    stderr: /^error: No public name of lamp latest, nor a part of one, begins with "x"\n/,
  })
  commit(folder, { 'lamp/__init__.py': code('light', 'mm: int = 2, *, slow=False') })
  await world.og(['update', 'lamp'])
  const { stdout } = await world.og(['diff', 'lamp', '--api'])
  expect(stdout.split('\n').slice(1).join('\n')).toBe(
    '\n- lamp.on\n~ lamp.Wick.trim\n    ~ mm: int = 1 → mm: int = 2\n    + slow=False\n' +
      '+ lamp.light\n',
  )
  expect((await world.og(['diff', 'lamp', '--api', '--stat'])).stdout).toEndWith(
    ': names 1 removed, 0 renamed, 1 changed, 0 deprecated, 1 added\n',
  )
})

test('reports a library without an API reference', async () => {
  await using world = await createWorld()
  const folder = join(world.folder, 'cup')
  commit(folder, { 'docs/a.md': '# A\n\nText.\n' })
  await world.og(['add', 'cup', '-s', `file://${folder}`])
  await world.check(['api', 'cup'], {
    exitCode: 2,
    stderr: /^error: Library "cup" version "\w+" has no API reference\nhint: /,
  })
})
