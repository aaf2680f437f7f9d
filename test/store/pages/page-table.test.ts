import { expect, test } from 'bun:test'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { createGeneration } from '../../../src/store/generation.ts'
import { generationNamed, openLive, pageRow, publish } from '../../support/store.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

/** Strings that could break a format or a filter (W-15), used as keys and as page texts. */
const strange = [
  "it's",
  "''",
  '"',
  '\\',
  'C:\\docs\\a.md',
  '`',
  '%',
  '_',
  '*',
  '?a=1&b=2#c',
  ';--',
  '/* */',
  'a\nb',
  'a\r\nb',
  '\t',
  ' ',
  ' a ',
  'é',
  'e\u0301',
  'İ',
  '🚀👩‍👩‍👧',
  '使用',
  '\u202e',
  '\ufffd',
  'nul \0 inside',
  'NULL',
  '',
  'a'.repeat(5000),
  '{"a": 1}',
  '${a}',
  '$1',
  '\u2028',
]

const temp = disposeAfterAll(await createTempFolder("og pages 'ü"))
using writer = await createGeneration(temp.path)
const rows = strange.map((text) => pageRow(text, `text of ${text}`))
await writer.appendPages(rows.slice(0, 5))
await writer.appendPages(rows.slice(5))
const full = { title: "T'", description: 'D\n', last_modified: '2026' }
await writer.appendPages([{ ...pageRow('full', '\ufeff\ufefftext\n'), ...full }])
const read = []
for await (const batch of writer.pages()) read.push(...batch)
expect(read.map(({ url }) => url)).toEqual([...strange, 'full'])
await writer.finish()
await publish(temp.path, 'lib', generationNamed(writer.id))
const open = disposeAfterAll((await openLive(temp.path))[0]!)

test('finds a page by its exact URL, and returns its exact text', async () => {
  for (const url of strange) expect(await open.page(url)).toEqual(pageRow(url, `text of ${url}`))
})

test('returns null for an unknown URL', async () => {
  for (const url of ["it''s", "' OR 1=1 --", 'É', 'none', 'C:\\\\docs\\\\a.md', 'A']) {
    expect(await open.page(url)).toBe(null)
  }
})

test('keeps all fields of a page', async () => {
  const known = { title: "T'", description: 'D\n', last_modified: '2026' }
  expect(await open.page('full')).toMatchObject({ ...known, text: '\ufeff\ufefftext\n' })
})

test('returns the states of all pages', async () => {
  const states = await open.pageStates()
  expect(states.size).toBe(strange.length + 1)
  for (const text of strange) {
    const { hash, validator } = pageRow(text, `text of ${text}`)
    expect(states.get(text)).toEqual({ hash, validator })
  }
})
