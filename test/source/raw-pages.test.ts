import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { resolveSource, sourcePages } from '../../src/source/pages.ts'
import type { Source } from '../../src/store/source.ts'
import { writeFiles, type Files } from '../support/repository.ts'

/** Expects the URLs of pages, and the reasons for other files. */
async function check(files: Files, expected: string[]): Promise<void> {
  await using temp = await createTempFolder('og raw')
  writeFiles(temp.path, files)
  const source: Source = { kind: 'raw_pages', path: temp.path }
  const resolved = await resolveSource(source, { version: 'v1', today: new Date() })
  expect(resolved).toEqual({ source, version: 'v1', ref: null, commit: null })
  const found: string[] = []
  for await (const event of sourcePages(resolved)) {
    if (event.type === 'page') found.push(event.page.url)
    if (event.type === 'failed') found.push(`failed: ${event.reason}`)
    if (event.type === 'skipped') found.push(`skipped: ${event.path}`)
  }
  expect(found).toEqual(expected)
}

const page = (url: string) => JSON.stringify({ url, content: '# A' })

test('reads JSON files in order, and reports other files', async () => {
  await check({ 'b.json': page('u:b'), 'a.json': page('u:a'), 'c.txt': 'x' }, ['u:a', 'u:b'])
  await check({ 'a.json': '{', 'b.json': '[]', 'c.md': '# note', 'd.md': page('u:d') }, [
    'failed: it is not JSON',
    'failed: it has no "url" and "content"',
    'skipped: c.md',
    'u:d',
  ])
  await check({ 'nested/a.json': page('u:a') }, [])
})

test('ignores links (W-62)', async () => {
  await using temp = await createTempFolder('og raw')
  writeFileSync(join(temp.path, 'secret'), page('u:secret'))
  await check({ 'a.json': { link: join(temp.path, 'secret') } }, [])
})

test('rejects a folder that an interrupted extraction left', async () => {
  const mark = JSON.stringify({ state: 'writing', files: ['a.json'] })
  await expect(check({ 'a.json': page('u:a'), '.og-raw': mark }, [])).rejects.toThrow('interrupted')
})
