import { expect } from 'bun:test'
import { startScript } from '../support/child.ts'
import { testWhere } from '../support/where.ts'

const test = testWhere(process.platform === 'linux' ? null : 'only Linux has /proc')

test('uses little memory while a table is read slowly', async () => {
  await using child = startScript('store/read-ahead.ts', [])
  expect(Number(await child.line())).toBeWithin(10e6, 200e6)
})
