import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { writeFiles } from '../../../support/repository.ts'
import { openHome } from '../../../support/run-og.ts'
import { addFromRegistry } from '../../../../src/cli/commands/library/add.ts'
import type { Context } from '../../../../src/cli/context.ts'
import { createTempFolder } from '../../../../src/platform/file/files.ts'

test('--resume reports that no library is incomplete, and rejects --source', async () => {
  using home = openHome()
  const docs = join(home.path, 'docs')
  writeFiles(docs, { 'a.md': '# A\n\nText.\n' })
  await home.run(['add', 'a', '-s', docs, '-v', '1'])
  const resume = (...rest: string[]) => home.run(['add', '--resume', ...rest])
  expect(await resume()).toMatchObject({ code: 0, stderr: 'Nothing is incomplete.\n' })
  expect(await resume('a')).toMatchObject({ code: 0, stderr: 'Nothing is incomplete of a.\n' })
  expect(JSON.parse((await resume('--json')).stdout)).toEqual({ results: [], failures: [] })
  expect((await resume('b')).stderr).toStartWith('error: Library "b" not found')
  const both = await resume('a', '-s', docs)
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing is fetched') })
  const none = await home.run(['add'])
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('Missing LIBRARY') })
})

test('searches registries only for a bare name, and only if a registry is known', async () => {
  await using temp = await createTempFolder('og-add-listed')
  const context = { env: { HOME: temp.path }, terminal: {} } as unknown as Context
  const options = {
    as: null,
    trust: false,
    'min-health': null,
    'lock-timeout': 1,
    json: false,
    version: null,
    source: null,
    from: null as string | null,
    'docs-path': [],
    'dry-run': false,
  }
  const check = async (typed: string, changed: Partial<typeof options>) =>
    expect(await addFromRegistry(context, typed, { ...options, ...changed } as never)).toBe(null)
  await check('kettle', {})
  await check('kettle', { from: 'source' })
  await check('./kettle', {})
  const refused = addFromRegistry(context, 'kettle', { ...options, from: 'x' } as never)
  await expect(refused).rejects.toThrow('--from is pack or source, not "x"')
})
