import { expect, test } from 'bun:test'
import {
  chooseRegistryVersion,
  documentationUrls,
} from '../../../src/source/package/package-release.ts'

const versions = ['0.9.0', '1.10.0', '1.2.0', '1.2.1', '2.0.0-rc.1']

function check(version: string | null, expected: string | RegExp): void {
  const choose = () => chooseRegistryVersion({ registry: 'npm', name: 'x', version }, versions)
  if (typeof expected === 'string') expect(choose()).toBe(expected)
  else expect(choose).toThrow(expected)
}

test('chooses the newest version, the exact one, or the newest match', () => {
  check(null, '1.10.0')
  check('1.2', '1.2.1')
  check('1.2.0', '1.2.0')
  check('v1.2.0', '1.2.0')
  check('^1', '1.10.0')
  check('2', '2.0.0-rc.1')
  check('7', /^Cannot find version "7" of npm:x in its registry/)
})

test('keeps documentation pages and home pages, without duplicates', () => {
  expect(
    documentationUrls([
      ['Homepage', 'https://a.example/'],
      ['Funding', 'https://money.example/'],
      ['Docs', 'ftp://x'],
      ['Documentation', 'https://d.example/'],
      ['Website', 'https://a.example/'],
      ['homepage', 7],
    ]),
  ).toEqual([
    { url: 'https://d.example/', isDocumentation: true },
    { url: 'https://a.example/', isDocumentation: false },
  ])
})
