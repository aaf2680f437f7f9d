import { expect, test } from 'bun:test'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { resolveSource, sourcePages } from '../../src/source/pages.ts'
import type { Source } from '../../src/store/source.ts'
import { writeFiles } from '../support/repository.ts'

const files = {
  'docs/de/a.md': 'A',
  'docs/b.md': '---\nlang: fr\n---\nB',
  'c.html': '<html lang=de>C',
  'd.md': 'D',
  'e.md': '---\nlang: python\n---\nE',
}

/** Expects the language of each page that is read, and the reason for each page that is skipped. */
async function check(languages: string[], expected: string[]) {
  await using temp = await createTempFolder('og-pages')
  writeFiles(temp.path, files)
  const source: Source = { kind: 'local_path', path: temp.path, languages }
  const resolved = await resolveSource(source, { version: null, today: new Date() })
  const events = await Array.fromAsync(sourcePages(resolved))
  expect(
    events.map((event) => {
      if (event.type === 'page') return `${event.page.path}: ${event.page.language ?? '?'}`
      return event.type === 'skipped' ? `-${event.path}: ${event.reason}` : event.type
    }),
  ).toEqual(expected)
}

test('W-22 detects the language of a page by its path, or else by its content', async () => {
  await check([], ['c.html: de', 'd.md: ?', 'docs/b.md: fr', 'docs/de/a.md: de', 'e.md: ?'])
  await check(
    ['de'],
    [
      'c.html: de',
      'd.md: ?',
      '-docs/b.md: in another language (fr)',
      'docs/de/a.md: de',
      'e.md: ?',
    ],
  )
})
