import { expect, test } from 'bun:test'
import type { Table } from '@lancedb/lancedb'
import { openTablesOnce } from '../../../src/store/remote/open-tables.ts'

function counted() {
  const opened: string[] = []
  const closed: string[] = []
  const open = async (name: string) => {
    const id = `${name}-${opened.length}`
    opened.push(id)
    return { id, close: () => void closed.push(id) } as unknown as Table
  }
  return { open, opened, closed }
}

test('opens a table once and closes it at the end', async () => {
  const { open, opened, closed } = counted()
  const { table, close } = openTablesOnce(open)
  expect(await table('chunks')).toBe(await table('chunks'))
  await table('pages')
  expect(opened).toEqual(['chunks-0', 'pages-1'])
  close()
  await Bun.sleep(0)
  expect(closed).toEqual(opened)
})

test('opens a table again after the keys changed, while the old one serves its readers', async () => {
  const { open, opened, closed } = counted()
  let keys = 'one'
  const { table, close } = openTablesOnce(open, async () => keys)
  const first = await table('chunks')
  keys = 'two'
  expect(await table('chunks')).not.toBe(first)
  expect(closed).toEqual([])
  keys = 'three'
  await table('chunks')
  await Bun.sleep(0)
  expect(closed).toEqual(['chunks-0'])
  close()
  await Bun.sleep(0)
  expect(closed.toSorted()).toEqual(opened)
})

test('tries again after opening a table failed', async () => {
  const { open } = counted()
  let isDown = true
  const { table } = openTablesOnce(async (name) => {
    if (isDown) throw new Error('down')
    return open(name)
  })
  await expect(table('chunks')).rejects.toThrow('down')
  isDown = false
  expect(await table('chunks')).toMatchObject({ id: 'chunks-0' })
})
