import { expect, test } from 'bun:test'
import { parseKnownPages, knownParts } from '../../src/source/known-pages.ts'
import {
  conditionalHeaders,
  parseValidator,
  renderValidator,
  reliableLastmod,
  validatorOf,
} from '../../src/source/validator.ts'
import { statSync } from 'node:fs'
import { fileStamp, fileValidator, parseFileValidator } from '../../src/source/file-validator.ts'
import { writeFiles } from '../support/repository.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { join } from 'node:path'

const hour = 3_600_000

test('parses a rendered validator, and rejects other kinds and versions', () => {
  const validator = { etag: '"a"', hash: 'b', listed: 'https://x.org/c' }
  const text = renderValidator(validator)
  expect(parseValidator(text)).toEqual(validator)
  expect(parseValidator(text.replace('parser-', 'parser-0'))).toBe(null)
  for (const other of ['', 'abc', '{"hash":"b"}']) expect(parseValidator(other)).toBe(null)
})

test("sends conditional headers from the server's own answer", () => {
  const headers = new Headers({ etag: '"a"', 'last-modified': 'Mon' })
  const { hash, ...said } = validatorOf(headers, Buffer.from('text'))
  expect(said).toEqual({ etag: '"a"', modified: 'Mon' })
  expect(hash).toHaveLength(64)
  expect(conditionalHeaders(said)).toEqual({ 'if-none-match': '"a"', 'if-modified-since': 'Mon' })
  expect(conditionalHeaders(validatorOf(new Headers(), Buffer.from('')))).toEqual({})
})

test('trusts a lastmod if no later change could have the same value', () => {
  const now = Date.parse('2026-03-10T12:00:00Z')
  expect(reliableLastmod('2026-03-07', now)).toBe('2026-03-07')
  expect(reliableLastmod('2026-03-09', now)).toBeUndefined()
  const moment = '2026-03-10T11:00:00Z'
  expect(reliableLastmod(moment, now)).toBe(moment)
  expect(reliableLastmod(moment, now - hour)).toBeUndefined()
  for (const none of [null, '', 'soon']) expect(reliableLastmod(none, now)).toBeUndefined()
})

const known = (pages: Record<string, string>) => new Map(Object.entries(pages))
const text = renderValidator({ hash: 'h', etag: '"a"' })

test('keys known pages by the listed URL', () => {
  const moved = renderValidator({ hash: 'h', listed: 'https://x.org/old' })
  const pages = parseKnownPages(
    known({ 'https://x.org/new': moved, 'https://x.org/a': text, b: 'blob' }),
  )
  expect([...pages].map(([listed, { url }]) => [listed, url])).toEqual([
    ['https://x.org/old', 'https://x.org/new'],
    ['https://x.org/a', 'https://x.org/a'],
  ])
  expect(parseKnownPages(undefined).size).toBe(0)
})

test('sends conditional headers only if all parts of the file are known', () => {
  expect(knownParts(known({ a: text, b: text })).headers).toEqual({ 'if-none-match': '"a"' })
  const partly = knownParts(known({ a: text, b: 'blob' }))
  expect([[...partly.parts.keys()], partly.headers]).toEqual([['a'], {}])
  expect(knownParts(undefined).headers).toEqual({})
})

const old = { ...statSync(import.meta.path, { bigint: true }), ctimeMs: 0n }
const bytes = Buffer.from('text')

test('identifies a file by size, times and inode, and by its bytes', () => {
  const known = parseFileValidator(fileValidator(old, bytes))
  expect(known?.stamp).toBe(fileStamp(old))
  expect(parseFileValidator(fileValidator(old, Buffer.from('text')))).toEqual(known)
  expect(parseFileValidator(fileValidator(old, Buffer.from('other')))!.hash).not.toBe(known!.hash)
  for (const name of ['size', 'mtimeNs', 'ctimeNs', 'ino'] as const) {
    expect(fileStamp({ ...old, [name]: old[name] + 1n })).not.toBe(known!.stamp)
  }
})

test('records no stamp for a file that was just written', async () => {
  await using temp = await createTempFolder('og-stamp')
  writeFiles(temp.path, { 'a.md': 'text' })
  const stats = statSync(join(temp.path, 'a.md'), { bigint: true })
  expect(parseFileValidator(fileValidator(stats, bytes))!.stamp).toBe('-')
})

test('returns null for validators that are not from a file', () => {
  for (const validator of [undefined, '', 'abc', '"etag"']) {
    expect(parseFileValidator(validator)).toBe(null)
  }
})
