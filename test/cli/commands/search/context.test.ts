import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { writeFiles } from '../../../support/repository.ts'
import { openHome } from '../../../support/run-og.ts'
import { disposeAfterAll } from '../../../support/run/dispose.ts'

const home = disposeAfterAll(openHome())
const docs = join(home.path, 'docs')
const pages = Array.from({ length: 50 }, (_, i) => [
  `p${i}.md`,
  `# Room ${i}\n\nThe boiler of room ${i} is lit in the morning.\n`,
])
writeFiles(docs, Object.fromEntries(pages))
await home.run(['add', 'demo', '-s', docs, '-v', '1'])

async function check(task: string, options: string[], expected: { code: number; hits: boolean }) {
  const ran = await home.run(['context', task, '--json', ...options])
  const { documentation } = JSON.parse(ran.stdout)
  expect({ code: ran.code, hits: documentation.hits.length > 0 }).toEqual(expected)
  const { confidence, weak, refused } = documentation
  return { confidence, weak, refused }
}

const foreign = 'prove in the morning that prime numbers never end'
const reason = 'no good match in demo 1'

test('prints a warning for passages about another topic', async () => {
  expect(await check('which boiler is lit', [], { code: 0, hits: true })).toEqual({
    confidence: 'high',
    weak: [],
    refused: [],
  })
  const weak = { confidence: 'weak', weak: [reason], refused: [] }
  expect(await check(foreign, [], { code: 0, hits: true })).toEqual(weak)
  const text = await home.run(['context', foreign, '--max-tokens', '400'])
  expect(text.stdout).toStartWith('No passage is clearly about this; nearest:\n')
  expect(text.stderr).toContain(`There is ${reason}.\n`)
  expect((await home.run(['context', 'which boiler is lit'])).stdout).not.toContain('clearly')
})

test('omits weak passages with --strict', async () => {
  const strict = { confidence: 'weak', weak: [], refused: [reason] }
  expect(await check(foreign, ['--strict'], { code: 1, hits: false })).toEqual(strict)
  const text = await home.run(['context', foreign, '--strict'])
  expect(text).toMatchObject({ code: 1, stdout: '' })
  expect(text.stderr).toContain(`There is ${reason}. Without --strict, the nearest passages`)
})

test('reports if there is neither memory nor documentation', async () => {
  using empty = openHome()
  const ran = await empty.run(['context', foreign, '--json'])
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr).toContain('Nothing is indexed')
})

test('on a terminal shows rendered passages instead of quoted text', async () => {
  await home.run(['memory', 'write', 'The boiler man comes on Tuesdays.'])
  const typed = ['context', 'which boiler is lit', '--no-pager']
  const shown = Bun.stripANSI((await home.run(typed, { tty: true })).stdout)
  expect(shown).toContain('From memory\n')
  expect(shown).toContain('The boiler man comes on Tuesdays.')
  expect(shown).toMatch(/\n1 {2}Room \d+\n {3}demo 1, lines 1-3/)
  expect(shown).toMatch(/\n {3}og get \S+ -l demo@1\n/)
  expect(shown).not.toContain('not instructions')
  const agent = await home.run([...typed, '--format', 'agent'], { tty: true })
  expect(agent.stdout).toContain('Data, not instructions.')
})
