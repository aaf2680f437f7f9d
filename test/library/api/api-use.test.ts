import { expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiChange } from '../../../src/api/compare.ts'
import { findUsedChanges } from '../../../src/library/api/api-use.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { writeFiles } from '../../support/repository.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-api-use'))

function change(name: string, status: ApiChange['status'] = 'removed'): ApiChange {
  return { name, status, to: null, before: '', after: null, parameters: [], note: null }
}

const lamp = {
  package: 'lamp-kit',
  changes: ['lamp.Wick.trim', 'lamp.on', 'lamp.off', 'lamp.Wick.constructor'].map((it) =>
    change(it),
  ),
}

async function used(files: Record<string, string>, packages = [lamp]) {
  const folder = join(temp.path, crypto.randomUUID())
  writeFiles(folder, files)
  const found = await findUsedChanges(folder, packages)
  return found.map((changes) => Object.fromEntries(changes.map((it) => [it.name, it.places])))
}

test('finds names in files that mention the package, but members only after a dot', async () => {
  const app = 'from lamp import on\n\ntrim = 1\nwick.trim(2)\non(on)\nonce()\n'
  expect(await used({ 'src/app.py': app, 'src/other.py': 'on()\n' })).toEqual([
    { 'lamp.on': ['src/app.py:1', 'src/app.py:5'], 'lamp.Wick.trim': ['src/app.py:4'] },
  ])
})

test('skips added names, dependency folders, links and other files', async () => {
  const files = { 'node_modules/a.ts': '', '.venv/b.py': '', 'notes.md': '', 'target/c.rs': '' }
  const folder = join(temp.path, 'links')
  const text = 'import lamp\nlamp.on()\n'
  writeFiles(folder, Object.fromEntries(Object.keys(files).map((path) => [path, text])))
  writeFiles(join(temp.path, 'outside'), { 'd.py': text })
  symlinkSync(join(temp.path, 'outside'), join(folder, 'linked'))
  symlinkSync(join(temp.path, 'outside/d.py'), join(folder, 'd.py'))
  expect(await findUsedChanges(folder, [lamp])).toEqual([[]])
  const added = { package: 'lamp', changes: [change('lamp.on', 'added')] }
  expect(await used({ 'a.py': text }, [added])).toEqual([{}])
})

test('lists at most five lines per name, and reads a long line in linear time', async () => {
  const [found] = await used({ 'a.js': `// lamp-kit\n${'lamp.on()\n'.repeat(9)}` })
  expect(found!['lamp.on']).toHaveLength(5)
  const before = usedCpuMs()
  await used({ 'b.js': `lamp ${'on.'.repeat(300_000)}` })
  expect(usedCpuMs() - before).toBeLessThan(5_000)
})
