import { expect, test } from 'bun:test'
import { chooseRegistryVersion, documentationUrls } from '../../../src/source/package/registry.ts'

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

test('treats a version with a qualifier of Maven as a release, unless it names a pre-release', () => {
  const check = (all: string[], expected: string) =>
    expect(chooseRegistryVersion({ registry: 'maven', name: 'x', version: null }, all)).toBe(
      expected,
    )
  check(['23.0', '33.8.0-android', '33.8.0-jre'], '33.8.0-jre')
  check(['4.1.0.Final', '4.2.0.Beta1'], '4.1.0.Final')
  check(['12.8.0.jre8', '12.8.1.jre11', '12.9.0.jre11-preview'], '12.8.1.jre11')
  check(['1.0', '1.1.GA', '1.2-M1'], '1.1.GA')
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
