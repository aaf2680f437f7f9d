import { expect, test } from 'bun:test'
import { createWorld, handbook } from '../support/e2e.ts'

test('a question about something else is refused, and one about the library is not', async () => {
  await using world = await createWorld({ embeddings: true })
  await world.json(['add', 'handbook', '-s', handbook, '-v', '1', '--json'])
  const elsewhere = 'symptoms of vitamin D deficiency in react'
  const { hits, reason, nearest, suggest } = await world.json(['query', elsewhere, '--json'])
  expect(hits).toEqual([])
  expect(reason).toBe('no good match in handbook 1')
  expect(nearest.length).toBeGreaterThan(0)
  expect(suggest).toEqual([{ library: 'react', version: null, command: 'og add react' }])
  await world.check(['query', elsewhere], {
    exitCode: 1, stdout: /^Found 0 matches\.\nNo good match in handbook 1\.\nNearest headings:\n/,
  })
  expect((await world.json(['query', elsewhere, '--no-refuse', '--json'])).hits).toHaveLength(5)
  expect((await world.json(['query', 'how is it brewed', '--json'])).hits).toHaveLength(5)
  const { libraries: [health] } = await world.json(['eval', '--self', '--json'])
  expect(health).toMatchObject({ library: 'handbook', version: '1' })
  expect(health.health).toBeGreaterThan(60)
}, 300_000)
