import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { writeFiles } from '../../../support/repository.ts'
import { openHome } from '../../../support/run-og.ts'

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
