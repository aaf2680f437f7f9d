import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { writeFiles } from '../../../support/repository.ts'
import { openHome, type TempHome } from '../../../support/run-og.ts'

let home: TempHome
beforeAll(async () => {
  home = openHome()
  const docs = join(home.path, 'docs')
  const pages = Array.from({ length: 50 }, (_, i) => [
    `p${i}.md`, `# Room ${i}\n\nThe boiler of room ${i} is lit in the morning.\n`,
  ])
  writeFiles(docs, Object.fromEntries(pages))
  await home.run(['add', 'demo', '-s', docs, '-v', '1'])
})
afterAll(() => home[Symbol.dispose]())

async function check(task: string, options: string[], expected: { code: number; hits: boolean }) {
  const ran = await home.run(['context', task, '--json', ...options])
  const { documentation } = JSON.parse(ran.stdout)
  expect({ code: ran.code, hits: documentation.hits.length > 0 }).toEqual(expected)
  return documentation.refused
}

test('documentation about something else is none, unless it is asked for', async () => {
  expect(await check('which boiler is lit', [], { code: 0, hits: true })).toEqual([])
  const foreign = 'prove in the morning that prime numbers never end'
  expect(await check(foreign, [], { code: 1, hits: false })).toEqual(['no good match in demo 1'])
  expect(await check(foreign, ['--no-refuse'], { code: 0, hits: true })).toEqual([])
  const text = await home.run(['context', foreign])
  expect(text).toMatchObject({ code: 1, stdout: '' })
  expect(text.stderr).toContain('There is no good match in demo 1.')
})
