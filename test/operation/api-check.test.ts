import { expect, test } from 'bun:test'
import type { ApiDiff } from '../../src/library/api/api-diff.ts'
import type { DiffRequest } from '../../src/library/diff.ts'
import type { LibraryVersion } from '../../src/library/library.ts'
import { checkApi } from '../../src/operation/api-check.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { OgError } from '../../src/platform/error.ts'
import { writeFiles } from '../support/repository.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-api-check'))
writeFiles(temp.path, { 'app.py': 'import lamp\nlamp.on()\n' })

const indexed = ['v1.0.0', '1.10.0', '1.9.0', '0.9.0', 'main'].map(
  (version) => ({ library: 'lamp', version, commit: null, indexedAt: '' }) as LibraryVersion,
)

async function check(version: string, diffApi: (request: DiffRequest) => Promise<ApiDiff>) {
  const dependencies = [{ name: 'lamp', version, indexed }]
  const answer = await checkApi.run({ og: { diffApi }, folder: temp.path, dependencies }, {})
  return checkApi.json(answer)
}

test("compares the project's version with the newest release after it", async () => {
  const sides: string[] = []
  const result = await check('1.0.0', async ({ from, to }) => {
    sides.push(`${from.version} ${to!.version}`)
    const same = { to: null, before: '', after: '', parameters: [], note: null }
    const changes = ['lamp.on', 'lamp.off'].map((name) => ({ ...same, name, status: 'changed' }))
    return { from: indexed[0]!, to: indexed[1]!, changes } as ApiDiff
  })
  expect(sides).toEqual(['v1.0.0 1.10.0'])
  expect(result).toMatchObject([
    { to: { version: '1.10.0' }, changes: [{ name: 'lamp.on', places: ['app.py:2'] }] },
  ])
})

test('skips a version that is not indexed or is the newest, and reports a failed comparison', async () => {
  const never = () => Promise.reject(new Error('not called'))
  for (const version of ['1.5.0', '1.10.0', 'main']) expect(await check(version, never)).toEqual([])
  const failed = await check('1.9.0', () => Promise.reject(new OgError('no API here')))
  expect(failed).toMatchObject([{ problem: 'no API here', changes: [] }])
})
