import { afterAll, expect, test } from 'bun:test'
import { closeSync, openSync } from 'node:fs'
import { cutPage, cutPageInSandbox, type CutSettings } from '../../../src/library/add/cut-page.ts'
import { openTokenizer } from '../../../src/embed/tokenizer.ts'
import { countWords } from '../../support/count-words.ts'
import { modelFiles } from '../../support/native/golden.ts'
import { pageRow } from '../../support/store.ts'

const cutting: CutSettings = { chunkChars: 60, overlapChars: 0, maxTokens: 512 }
const text = '# Lamp\n\nA lamp needs oil.\n\n## Wick\n\nTrim the `wickTrim` often, it says.\n'
const page = { ...pageRow('doc:/guide/lamp.md', text), title: 'Lanterns' }
const inPlace = { countTokens: countWords, signal: undefined }
/** Counts tokens with a tokenizer that another process can open too. */
const elsewhere = (tokenizerPath: string, signal?: AbortSignal) => ({
  countTokens: Object.assign(openTokenizer(modelFiles.tokenizer).count, { tokenizerPath }),
  signal,
})
const descriptor = openSync(modelFiles.tokenizer, 'r')
afterAll(() => closeSync(descriptor))

test('stores a chunk with its position and search terms', async () => {
  const [lamp, wick, ...others] = await cutPageInSandbox(page, cutting, inPlace)
  expect(others).toEqual([])
  expect([lamp!.row.content, wick!.row.content].join('')).toBe(text)
  expect(wick!.row).toMatchObject({
    url: page.url,
    title: 'Lanterns',
    heading: 'Lamp > Wick',
    chunk_index: 1,
    start_offset: text.indexOf('## Wick'),
    end_offset: text.length,
    start_line: 5,
    end_line: 7,
  })
  const terms = wick!.row.terms.split(' ')
  // The terms come from the text, the headings, the title and the path without its extension.
  expect(terms).toEqual(expect.arrayContaining(['wicktrim', 'wick', 'lamp', 'lantern', 'guid']))
  expect(terms).not.toContain('md')
})

test('embeds a chunk with its title and headings, without repeated lines', async () => {
  const [, wick] = await cutPageInSandbox(page, cutting, inPlace)
  expect(wick!.text).toBe('Lanterns > Lamp > Wick\nWick\n\nTrim the  wickTrim  often, it says.')
  const code = Array.from({ length: 20 }, (_, i) => `lamp.light(${i}, 'wick')`).join('\n')
  const fence = `\`\`\`\n${code}\n\`\`\`\n`
  const twice = pageRow('doc:/twice.md', `# A\n\n${fence}\n# B\n\nAnd so again:\n\n${fence}`)
  const [, again] = await cutPageInSandbox(twice, { ...cutting, chunkChars: 600 }, inPlace)
  expect(again!.row.content).toContain('lamp.light(3')
  expect(again!.text).toBe('B\nB\n\nAnd so again:')
})

test('uses the configured sizes, and creates no chunk for a blank page', async () => {
  expect(await cutPageInSandbox(page, { ...cutting, chunkChars: undefined }, inPlace)).toHaveLength(
    1,
  )
  const tight = await cutPageInSandbox(page, { ...cutting, maxTokens: 14 }, inPlace)
  expect(tight.length).toBeGreaterThan(2)
  const overlap = await cutPageInSandbox(
    page,
    { ...cutting, chunkChars: 25, overlapChars: 12 },
    inPlace,
  )
  expect(overlap.map(({ row }) => row.content).join('').length).toBeGreaterThan(text.length)
  expect(await cutPageInSandbox({ ...page, text: ' \n' }, cutting, inPlace)).toEqual([])
})

test('chunks identically in another process, even with a tokenizer given by descriptor', async () => {
  for (const path of [modelFiles.tokenizer, `/proc/self/fd/${descriptor}`]) {
    const aside = await cutPageInSandbox(page, cutting, elsewhere(path))
    expect(aside).toEqual(cutPage({ page, cutting, tokenizerPath: modelFiles.tokenizer }))
    expect(aside).toHaveLength(2)
  }
})

test('reports only the reason if the sandbox process cannot chunk a page', async () => {
  const cut = cutPageInSandbox(page, { ...cutting, maxTokens: 2 }, elsewhere(modelFiles.tokenizer))
  await expect(cut).rejects.toThrow(/^Cannot cut page "doc:\/guide\/lamp.md": 2 tokens are too few/)
  const signal = AbortSignal.abort(new Error('enough'))
  const stopped = cutPageInSandbox(page, cutting, elsewhere(modelFiles.tokenizer, signal))
  await expect(stopped).rejects.toThrow('enough')
})
