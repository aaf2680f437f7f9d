import { mean } from '../../../src/search/confidence.ts'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { healthOfLibraries, resampleMean } from '../../../src/library/quality/health.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { readEntries } from '../../../src/store/registry.ts'
import { writeFiles } from '../../support/repository.ts'
import { openTestStore } from '../../support/test-store.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og-health'))
const docs = () => join(temp().path, 'docs')
const store = openEach(() => openTestStore(join(temp().path, 'store')))

const sound = {
  'boiler.md':
    '# The boiler room\n\nThe boiler is lit before anything else is done. `lightBoiler`\n',
  'lamp.md': '# The lamp shop\n\nA lamp needs a wick that was trimmed today. `trim_wick`\n',
}

/** Seven pages have a section with this name; the page that defines it in code ranks last. */
const ill = {
  'gears.md': `# Gears\n\n- \`turn_gear\`\n${lines(150, 'part')}`,
  ...Object.fromEntries(
    Array.from({ length: 6 }, (_, i) => [
      `p${i}.md`,
      `## turn_gear\n\n${'turn_gear '.repeat(9)}\n${lines(9, `word${i}x`)}`,
    ]),
  ),
}

function lines(count: number, word: string): string {
  return Array.from({ length: count }, (_, i) => `- ${word}${i}\n`).join('')
}

function sentence(subject: string): string {
  return `\nNobody has moved the ${subject} for a hundred years.\n`
}

async function healths(library: string | null = null) {
  const wanted = { library, version: null }
  return await Array.fromAsync(healthOfLibraries(store().opened, store().entries, wanted))
}

test('reports full health if every section is found by its own questions', async () => {
  writeFiles(docs(), sound)
  await store().add('demo', docs())
  await store().add('other', docs())
  const [first, second] = await healths()
  expect(first).toMatchObject({ library: 'demo', version: '1', health: 100, missed: [] })
  expect(first!.kinds).toEqual({
    heading: { questions: 2, hit5: 1 },
    sentence: { questions: 2, hit5: 1 },
    symbol: { questions: 2, hit5: 1 },
  })
  expect(second).toMatchObject({ library: 'other', questions: 6 })
  expect(await healths('demo')).toEqual([first!])
})

test('embeds the questions in groups', async () => {
  const subjects = ['boiler', 'lamp', 'gear', 'anvil', 'chimney', 'hammer', 'ladder', 'bucket']
  const pages = subjects.map((subject) => [`${subject}.md`, `# The ${subject} of the house\n`])
  writeFiles(
    docs(),
    Object.fromEntries(pages.map(([name, text]) => [name, text + sentence(name!)])),
  )
  await store().add('demo', docs())
  const embedder = (await store().opened.embedder())!
  let [running, most] = [0, 0]
  const embedQuery: typeof embedder.embedQuery = async (...given) => {
    most = Math.max(most, ++running)
    const embedding = await embedder.embedQuery(...given)
    running--
    return embedding
  }
  const grouping = Object.create(embedder, { embedQuery: { value: embedQuery } })
  const context = { ...store().opened, embedder: async () => grouping }
  const wanted = { library: null, version: null }
  expect(await Array.fromAsync(healthOfLibraries(context, store().entries, wanted))).toEqual(
    await healths(),
  )
  // Sixteen questions, and eight short headings without the prefix.
  expect(most).toBe(24)
})

test('returns an empty report without libraries, and null without questions', async () => {
  expect(await healths()).toEqual([])
  writeFiles(docs(), { 'a.md': 'x\n' })
  await store().add('demo', docs())
  expect(await healths()).toMatchObject([{ health: null, questions: 0 }])
  await store().add('demo', docs(), { version: '2', minHealth: 100 })
})

test('does not publish a version with low health, and keeps the live one', async () => {
  writeFiles(docs(), sound)
  expect(await store().add('demo', docs(), { minHealth: 90 })).toMatchObject({ status: 'added' })
  const before = await readEntries(store().folder)
  writeFiles(docs(), ill)
  const message = new RegExp(
    'Cannot publish library "demo" version "1": its search health is \\d+ % of \\d+ questions, ' +
      '--min-health requires 90 %; nothing was changed',
  )
  await expect(store().add('demo', docs(), { minHealth: 90 })).rejects.toThrow(message)
  expect(await readEntries(store().folder)).toEqual(before)
  expect((await store().search('boiler'))[0]!.url).toBe('doc:/boiler.md')
  expect(await store().add('demo', docs(), { minHealth: 50 })).toMatchObject({ status: 'updated' })
})

test('reports the low health of an unchanged version, and keeps the version', async () => {
  writeFiles(docs(), ill)
  await store().add('demo', docs())
  const before = await readEntries(store().folder)
  const message = /Cannot accept library "demo" version "1": its search health is \d+ % of \d+ /
  await expect(store().add('demo', docs(), { minHealth: 90 })).rejects.toThrow(message)
  expect(await readEntries(store().folder)).toEqual(before)
  expect(await store().add('demo', docs(), { minHealth: 0 })).toMatchObject({ status: 'unchanged' })
})

function check(values: number[], [low, high]: [number, number]) {
  const found = resampleMean(values)
  expect(found[0]).toBeCloseTo(low, 1)
  expect(found[1]).toBeCloseTo(high, 1)
}

test('always returns the same confidence interval for a mean', () => {
  check([0.5, 0.5, 0.5], [0.5, 0.5])
  // The standard error of 100 values of 0 or 1 is 0.05, and 95 % of means are within 1.96 standard
  // errors.
  const halves = Array.from({ length: 100 }, (_, i) => i % 2)
  check(halves, [0.4, 0.6])
  expect(resampleMean(halves)).toEqual(resampleMean(halves))
  expect(mean([1, 2, 6])).toBe(3)
})
