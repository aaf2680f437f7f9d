import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeFiles } from '../../../support/repository.ts'
import { openHome, type Ran, type RunOptions } from '../../../support/run-og.ts'
import { homePaths } from '../../../support/run/home-paths.ts'
import { disposeAfterAll } from '../../../support/run/dispose.ts'

const home = disposeAfterAll(openHome())
const docs = join(home.path, 'docs')
const file = join(home.path, 'questions.jsonl')
writeFiles(docs, {
  'boiler.md': '# The boiler room\n\nThe boiler is lit before anything else is done.\n',
  'lamp.md': '# The lamp shop\n\nA lamp needs a wick that was trimmed today.\n',
})
writeFileSync(file, '{"id": "1", "question": "trimmed wick", "gold": ["lamp.md"]}\n')
await home.run(['add', 'demo', '-s', docs, '-v', '1'])

async function check(argv: string[], expected: Partial<Ran>, options: RunOptions = {}) {
  const ran = await home.run(argv, options)
  expect(ran).toMatchObject(expected)
  return ran
}

test('evaluates a file of questions, and exits with 1 if two arms give equal results', async () => {
  const { stdout, stderr } = await check(['eval', file, '-l', 'demo', '--json'], { code: 1 })
  const found = JSON.parse(stdout)
  expect(found).toMatchObject({
    library: 'demo',
    version: '1',
    questions: 1,
    unknown_gold: [],
    max_tokens: 2000,
    arms: { hybrid: { ndcg_10: 1, hit_5_served: 1 }, 'full-text': { mrr_10: 1 }, vector: {} },
    changed_top_5: { 'full-text': 0 },
  })
  expect(found.alarms).toHaveLength(1)
  expect(stderr).toContain('full-text gives the first five pages of hybrid for every question')
  const text = await check(
    ['eval', '-', '-l', 'demo'],
    { code: 1 },
    { stdin: '{"question": "trimmed wick", "gold": ["lamp.md"]}\n' },
  )
  expect(text.stdout).toStartWith('demo 1: 1 questions\nARM ')
  expect(text.stdout).toMatch(/^hybrid +1\.000 \(1\.000-1\.000\) /m)
})

test('prints the search health of every library', async () => {
  const { stdout } = await check(['eval', '--self', '--json'], { code: 0 })
  expect(JSON.parse(stdout)).toMatchObject({
    libraries: [{ library: 'demo', version: '1', health: 100, questions: 4, missed: [] }],
  })
  const text = await check(['eval', '--self', '-l', 'demo'], { code: 0 })
  expect(text.stdout).toMatch(/^demo +1 +100 % +4 +100 % +100 % +- +-$/m)
})

test('warns about a library that is not fully embedded', async () => {
  using other = openHome()
  await other.run(['add', 'demo', '-s', docs, '-v', '1'])
  const path = join(other.path, homePaths.store, 'registry.json')
  const registry = JSON.parse(readFileSync(path, 'utf8'))
  registry.entries[0].live.embedded = 1
  writeFileSync(path, JSON.stringify(registry))
  const { stdout, stderr } = await other.run(['eval', '--self', '--json'])
  expect(JSON.parse(stdout).libraries[0]).toMatchObject({ health: 100, embedded: 1, chunks: 2 })
  expect(stderr).toBe('warning: demo 1: 50 % of its passages by meaning so far\n')
})

test('rejects wrong usage with a hint', async () => {
  const refused = async (argv: string[], stderr: string) =>
    expect((await check(['eval', ...argv], { code: 2, stdout: '' })).stderr).toContain(stderr)
  await refused([], 'Either provide a file of questions or use --self')
  await refused([file], '--library is missing')
  await refused([file, '-l', 'demo', '--model', 'x'], 'Cannot use embedding model "x"')
  await refused(['--self', '--model', 'bge-small-en-v1.5'], '--library is missing')
  const both = ['--without', 'copies', '--model', 'bge-small-en-v1.5']
  await refused([file, '-l', 'demo', ...both], '--model cannot be used with --without')
  await refused([file, '--self'], '--self cannot be used with FILE')
  await refused(['--self', '--without', 'copies'], '--self cannot be used with --without')
  await refused([file, '-l', 'demo', '--without', 'x'], 'Cannot leave out "x"')
  await refused([join(home.path, 'none'), '-l', 'demo'], 'Cannot read ')
  await refused([file, '-l', 'other'], 'Library "other" not found')
})

test('--min-health stops add and update', async () => {
  await check(['add', 'demo', '-s', docs, '-v', '2', '--min-health', '100'], { code: 0 })
  // Six pages have the name as a heading and rank above the page that has it only in code.
  const gears = ' turn_gear'.repeat(20)
  const pages = Array.from({ length: 6 }, (_, i) => [`p${i}.md`, `## turn_gear\n\nx${i}${gears}\n`])
  const filler = Array.from({ length: 150 }, (_, i) => `- part${i}\n`).join('')
  pages.push(['zeta.md', `# Zeta\n\n- \`turn_gear\`\n${filler}`])
  writeFiles(docs, Object.fromEntries(pages))
  await check(['update', 'demo', '-v', '2', '--min-health', '101'], { code: 2 })
  const update = ['update', 'demo', '-v', '2', '--min-health']
  const { stderr } = await check([...update, '95'], { code: 2, stdout: '' })
  expect(stderr).toMatch(/Cannot publish library "demo" version "2": its search health is \d+ %/)
  expect((await home.run(['list', '--json'])).stdout).not.toContain('"pages": 9')
  await check([...update, '1'], { code: 0 })
})
