import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { SearchRequest } from '../../../src/library/library.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { writeFiles } from '../../support/repository.ts'
import { openTestStore } from '../../support/test-store.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const filler = (word: string) =>
  `${`The ${word} is described here in some more words. `.repeat(12)}\n\n`
const long =
  `# Pump\n\nAbout it.\n\n## Priming\n\n` +
  Array.from({ length: 9 }, (_, i) => filler(`valve${i}`)).join('') +
  'To prime it:\n\n```sh\nopen --valve\nclose --valve\n```\n\n' +
  Array.from({ length: 9 }, (_, i) => filler(`gasket${i}`)).join('') +
  '## Storage {#store}\n\nKeep it dry.\n'
const small = '# Lamp\n\nLight it.\n\n## Wick\n\nTrim the wick.\n\n## Oil\n\nUse clean oil.\n'

const temp = disposeAfterAll(await createTempFolder("og excerpts 'ü"))
const docs = join(temp.path, 'docs')

const store = disposeAfterAll(openTestStore(join(temp.path, 'store')))
writeFiles(docs, { 'pump.md': long, 'lamp.md': small })
await store.add('house', docs, { version: '1.0' })
await store.add('house', docs, { version: '1.1' })
writeFiles(docs, { 'lamp.md': small.replace('clean oil', 'oil of another kind, or none') })
await store.add('house', docs, { version: '2.0' })
const pages = {
  'docs/en/crank.md': '# Crank\n\n## Turn\n\nTurn `crank`.\n',
  'docs/de/crank.md': '# Kurbel\n\n## Drehen\n\nDrehe die Kurbel `crank`.\n',
  'docs/wheel.md': '# Wheel\n\nRoll the wheel.\n',
  'docs/es/wheel.md': '# Rueda\n\nRueda la rueda wheel.\n',
  'docs/fr/crank.md': '# Manivelle\n\n## Tourner\n\nTournez `crank`.\n',
}
const translated = join(temp.path, 'translated')
writeFiles(translated, pages)
const source = { kind: 'local_path' as const, path: translated, languages: ['*'] }
await store.add('crank', translated, { source })

const search = (query: string, request: Partial<SearchRequest>) =>
  store.search(query, { library: 'house', version: '1.0', ...request })

test('shows a hit with its code, its heading and its line numbers', async () => {
  const [hit] = await search('close --valve', { filter: { paths: ['pump.md'] } })
  expect(hit!.text).toStartWith('## Priming\n\n[…]\n\n')
  expect(hit!.text.length).toBeLessThan(5000)
  expect(hit!.text).toContain('To prime it:\n\n```sh\nopen --valve\nclose --valve\n```')
  expect(hit).toMatchObject({ heading: 'Pump > Priming', anchor: 'priming', path: 'pump.md' })
  const lines = long.split('\n').slice(hit!.startLine - 1, hit!.endLine)
  expect(lines.join('\n')).toContain('close --valve')
  expect(hit!.text).toEndWith(lines.at(-1)!.trimEnd())
})

test('shows one entry per section, and limits entries rather than chunks', async () => {
  const hits = await search('valve gasket described words', { limit: 3 })
  const headings = hits.map(({ url, heading }) => `${url} ${heading}`)
  expect(new Set(headings).size).toBe(headings.length)
  expect(await search('the', { limit: 1 })).toHaveLength(1)
  const all = await search('lamp pump valve wick oil dry', { limit: 20 })
  expect(all.map(({ rank }) => rank)).toEqual(all.map((_, i) => i + 1))
  expect(new Set(all.map(({ url, heading }) => `${url} ${heading}`)).size).toBe(all.length)
  expect(all.length).toBeGreaterThan(2)
})

test('shows the small section whose heading is the queried name', async () => {
  const pages = {
    'options.md':
      '# Options\n\nAll may be set. See lamp.wick.\n\n## lamp.oil\n\nUse clean oil.\n\n' +
      '## lamp.wick\n\nTrim it.\n\n## lamp.glass\n\nDust it.\n',
    'commands.rst':
      'lamp.light\n==========\n\nDefinition\n----------\n\nLights ``lamp.light`` now.\n',
  }
  const folder = join(temp.path, 'options')
  writeFiles(folder, pages)
  await store.add('options', folder)
  const first = async (query: string) => (await store.search(query, { library: 'options' }))[0]!
  expect(await first('lamp.wick')).toMatchObject({
    heading: 'Options > lamp.wick',
    anchor: 'lampwick',
    text: '## lamp.wick\n\nTrim it.',
    startLine: 9,
  })
  // A title without text of its own is shown with the section after it.
  expect((await first('lamp.light')).text).toContain('Lights `lamp.light` now.')
})

test('uses an id that the author set as the anchor', async () => {
  const [hit] = await search('keep it dry storage', {})
  expect(hit).toMatchObject({ heading: 'Pump > Storage', anchor: 'store' })
})

test('shows neighbouring chunks as context', async () => {
  const query = 'keep it dry storage'
  const [bare] = await search(query, { limit: 1 })
  const [wider] = await search(query, { limit: 1, context: 1 })
  const [widest] = await search(query, { limit: 1, context: 10 })
  expect(bare!.text).toBe('## Storage {#store}\n\nKeep it dry.')
  expect(wider!.text).toEndWith(bare!.text)
  expect(wider!.text.length).toBeGreaterThan(bare!.text.length)
  expect(widest!.text).toBe(long.trimEnd())
})

test('merges the same passage of several versions into one hit of the newest version', async () => {
  const [hit, ...others] = await search('wick', { version: 'all', filter: { paths: ['pump.md'] } })
  expect(hit).toMatchObject({ version: '2.0', versions: ['2.0', '1.1', '1.0'] })
  const places = [hit, ...others].map(({ heading, startLine }: any) => `${heading} ${startLine}`)
  expect(new Set(places).size).toBe(places.length)
})

test('shows differing passages separately, with the versions they apply to', async () => {
  const hits = await search('clean oil of another kind', {
    version: '>=1.0',
    filter: { paths: ['lamp.md'] },
  })
  const shown = hits.map(({ version, versions }) => `${version}: ${versions.join(' ')}`)
  expect(shown.sort()).toEqual(['1.1: 1.1 1.0', '2.0: 2.0'])
})

test('lists other versions with the same text when one version is searched', async () => {
  const [hit] = await search('keep it dry storage', { version: null })
  expect(hit).toMatchObject({ version: '2.0', versions: ['2.0', '1.1', '1.0'] })
  const [old] = await search('clean oil', { filter: { paths: ['lamp.md'] } })
  expect(old).toMatchObject({ version: '1.0', versions: ['1.1', '1.0'] })
})

test('merges a page and its translations into one hit in the language of the query', async () => {
  async function check(
    query: string,
    { page, expected }: { page: string; expected: (string | null)[] },
    request: Partial<SearchRequest> = {},
  ) {
    const hits = await store.search(query, { library: 'crank', ...request })
    const mine = hits.filter(({ path }) => path.includes(page))
    expect(mine.map(({ language }) => language)).toEqual(expected)
  }
  await check('how do I turn the crank', { page: 'crank', expected: ['en'] })
  await check('wie drehe ich die Kurbel crank', { page: 'crank', expected: ['de'] })
  await check('wheel', { page: 'wheel', expected: [null] })
  await check('cómo se rueda la rueda wheel', { page: 'wheel', expected: ['es'] })
  const filter = { languages: ['fr'] }
  await check('wie drehe ich die Kurbel', { page: 'crank', expected: ['fr'] }, { filter })
})

test('adds passages of the same page to the first hit if they fit', async () => {
  const about = (word: string) => `## ${word}\n\n${`The ${word} of a lathe turns. `.repeat(30)}\n\n`
  writeFiles(join(temp.path, 'lathe'), {
    'lathe.md': `# Lathe\n\n${about('Chuck')}${about('Belt')}${about('Spindle')}`,
    'saw.md': '# Saw\n\nA saw is no lathe.\n',
  })
  await store.add('lathe', join(temp.path, 'lathe'), { version: '1' })
  const request = { library: 'lathe', version: '1', limit: 3 }
  const apart = await store.search('spindle and chuck of a lathe', request)
  const [first, ...others] = await store.search('spindle and chuck of a lathe', {
    ...request,
    sizes: [2200, 300],
  })
  expect(apart[0]!.text.match(/^## /gm)).toHaveLength(1)
  expect(first!.text).toMatch(/^## Chuck[^]*^## Spindle/m)
  expect(first!.heading).toBe('Lathe > Chuck')
  expect(others.map(({ path }) => path)).toContain('saw.md')
})

test('names a hit with several symbols by the best one and shows it first', async () => {
  writeFiles(join(temp.path, 'wood'), {
    'pyproject.toml': '',
    'wood/__init__.py':
      'def cut():\n    """Cuts a board into two pieces."""\n\n' +
      'def sand():\n    """Sands the surface of a board until it is smooth."""\n',
  })
  await store.add('wood', join(temp.path, 'wood'), { version: '1' })
  const [first] = await store.search('make the surface of a board smooth', {
    ...{ library: 'wood', version: '1', sizes: [1600, 300] },
  })
  expect(first!.text).toMatch(/wood\.sand[^]*wood\.cut/)
  expect(first!.name).toBe('wood.sand')
})
