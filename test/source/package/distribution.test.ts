import { expect, test } from 'bun:test'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { distributionPages } from '../../../src/source/package/distribution.ts'
import type { SourceEvent } from '../../../src/source/source.ts'
import { writeFiles } from '../../support/repository.ts'
import { knownBy } from '../../support/servers/site.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-test'))
writeFiles(temp.path, {
  'heron-1.0.dist-info/METADATA':
    'Name: heron\nVersion: 1.0\nDescription-Content-Type: text/markdown\n\nWades in *water*.\n',
  'heron-1.0.dist-info/RECORD':
    'bird/__init__.py,sha256=x,1\nbird/heron.py,,\n"a, b.py",,\n../../bin/heron,,\n' +
    'bird/gone.py,,\nheron-1.0.dist-info/METADATA,,\n',
  'heron-1.0.dist-info/licenses/LICENSE': 'Free.\n',
  'bird/__init__.py': 'from .heron import Heron\n',
  'bird/heron.py': 'class Heron:\n    """Wades."""\n',
  'bird/other.py': 'class OfAnother: ...\n',
  'egret/__init__.py': 'class OfEgret: ...\n',
})

const path = 'heron-1.0.dist-info/METADATA'

async function read(before: SourceEvent[] = []): Promise<SourceEvent[]> {
  const source = { kind: 'local_path' as const, path: temp.path, package: 'pypi:heron' }
  const options = { before: knownBy(before), signal: undefined }
  return Array.fromAsync(distributionPages(source, path, options))
}

const shown = (event: SourceEvent) =>
  event.type === 'page'
    ? `${event.page.title}: ${event.page.url.replace(/.*\/files\//, '')}`
    : event.type === 'skipped'
      ? `-${event.path}`
      : event.type

test('reads the description and the files of one of several distributions', async () => {
  const events = await read()
  expect(events.map(shown)).toEqual([
    'license',
    'Heron: heron-1.0.dist-info/METADATA',
    '-a, b.py',
    '-bird/gone.py',
    'bird.Heron: bird/heron.py#L1',
    'coverage',
  ])
  expect(events[1]).toMatchObject({ page: { text: 'Wades in *water*.\n' } })
  expect((await read(events)).map(shown)).toContain('unchanged')
})

test('names the version that is gone', async () => {
  rmSync(join(temp.path, path))
  expect(read()).rejects.toThrow(/Cannot find heron-1.0.dist-info/)
  writeFileSync(join(temp.path, path), 'Name: heron\n\nUNKNOWN\n')
  expect((await read()).filter(({ type }) => type === 'page').map(shown)).toHaveLength(1)
})

test('reads no metadata behind a link that leaves the folder', async () => {
  await using outside = await createTempFolder('og-test')
  writeFiles(outside.path, { secret: 'Name: heron\n\nA private key.\n' })
  rmSync(join(temp.path, path), { force: true })
  symlinkSync(join(outside.path, 'secret'), join(temp.path, path))
  await expect(read()).rejects.toThrow(/Cannot find heron-1.0.dist-info/)
})
