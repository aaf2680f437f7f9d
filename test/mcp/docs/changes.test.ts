import { expect, test } from 'bun:test'
import { watchRegistry } from '../../../src/mcp/docs/resources.ts'
import { openMcpHome } from '../../support/mcp.ts'

test('reports added and removed libraries, and nothing without a change', async () => {
  await using home = await openMcpHome()
  await home.add('one', '1', { 'a.md': '# A\n\ntext\n' })
  let told = Promise.withResolvers<void>()
  let changes = 0
  const watch = watchRegistry(
    home.og,
    () => {
      changes++
      told.resolve()
      told = Promise.withResolvers()
    },
    5,
  )
  await Bun.sleep(30)
  expect(changes).toBe(0)
  const added = told.promise
  await home.add('two', '1', { 'a.md': '# A\n\ntext\n' })
  await added
  const removed = told.promise
  await home.og.remove({ library: 'two', version: '1', lockTimeoutMs: 1_000 })
  await removed
  watch[Symbol.dispose]()
  const before = changes
  await home.add('three', '1', { 'a.md': '# A\n\ntext\n' })
  await Bun.sleep(30)
  expect(changes).toBe(before)
})
