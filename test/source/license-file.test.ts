import { expect, test } from 'bun:test'
import { licenseAmong, licenseText } from '../../src/source/license-file.ts'

test('the file is the plain one at the top; of several none is', () => {
  const check = (paths: string[], expected: string | null) =>
    expect(licenseAmong(paths)).toBe(expected)
  check(['README.md', 'LICENSE', 'docs/LICENSE'], 'LICENSE')
  check(['licence.txt', 'LICENSE-third-party'], 'licence.txt')
  check(['LICENSE-MIT', 'LICENSE-APACHE'], null)
  check(['LICENSE', 'COPYING'], null)
  check(['LICENSE-MIT'], 'LICENSE-MIT')
  check(['licenses.md', 'docs/LICENSE'], null)
})

test('what is too long for a licence is none', () => {
  const bytes = new TextEncoder().encode('As is.')
  expect([licenseText(bytes), licenseText(null)]).toEqual(['As is.', null])
  expect(licenseText(new Uint8Array(1_100_000))).toBe(null)
})
