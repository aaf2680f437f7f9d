/** The API reference of a repository, by dist/og. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createWorld } from '../../support/e2e.ts'
import { commit } from '../../support/repository.ts'

test('adds, asks, gets and updates the API reference of a repository', async () => {
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

test('keeps the choice of a source', async () => {
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
  await world.check([...add.slice(0, -1), '--api', 'all'], { exitCode: 2, stderr: /--api/ })
})
