import { expect, test } from 'bun:test'
import { findLicensePath, decodeLicense } from '../../src/source/license-file.ts'

test('returns the top-level licence file, or null if there are several', () => {
  const check = (paths: string[], expected: string | null) =>
    expect(findLicensePath(paths)).toBe(expected)
  check(['README.md', 'LICENSE', 'docs/LICENSE'], 'LICENSE')
  check(['licence.txt', 'LICENSE-third-party'], 'licence.txt')
  check(['LICENSE-MIT', 'LICENSE-APACHE'], null)
  check(['LICENSE', 'COPYING'], null)
  check(['LICENSE-MIT'], 'LICENSE-MIT')
  check(['licenses.md', 'docs/LICENSE'], null)
})

test('rejects text too long for a licence', () => {
  const bytes = new TextEncoder().encode('As is.')
  expect([decodeLicense(bytes), decodeLicense(null)]).toEqual(['As is.', null])
  expect(decodeLicense(new Uint8Array(1_100_000))).toBe(null)
})
