import { expect, test } from 'bun:test'
import { versionRule } from '../../src/version/version-rule.ts'

function check(typed: string | null, [version = '', ...others]: string[], expected: string) {
  const versions = [...others, version]
  expect(versionRule({ version, versions }, typed)).toBe(expected)
}

test('explains a default version', () => {
  check(null, ['1.0'], 'the only version that is indexed')
  check(null, ['2.0', '1.0', 'latest'], 'of 3 versions the highest release')
  check(
    null,
    ['2.0-rc1', 'latest'],
    'of 2 versions the highest pre-release, since there is no release',
  )
  check(null, ['latest', 'main'], 'of 2 versions "latest", since there is no release')
  check(
    null,
    ['2026-02-01', '2026-01-01'],
    'of 2 versions the newest date, since there is no release',
  )
  check(null, ['main', 'dev'], 'of 2 versions the last, since there is no release')
})

test('explains a version from the project', () => {
  const pin = { package: 'vite', named: '6.0.1', file: 'package-lock.json' }
  const from = { library: 'vite', version: '6.0.0', ...pin }
  const chosen = { version: '6.0.0', versions: ['6.0.0', '7.0.0'], from }
  expect(versionRule(chosen, null)).toBe('package-lock.json names vite 6.0.1')
  expect(versionRule(chosen, '6')).toBe('the newest "6"')
})

test('explains a typed version', () => {
  check('1.0', ['1.0', '2.0'], '"1.0" was asked for')
  check('1', ['1.4.2', '1.4.1'], 'the newest "1"')
  check('v1.4.2', ['1.4.2'], '"v1.4.2" means it')
  check('latest', ['2.0', '1.0'], 'the newest, since none is called "latest"')
  check('>=1 <2', ['1.5', '1.4'], '">=1 <2" allows it')
  check('all', ['1.5', '1.4'], '"all" was asked for')
  check('1.4,2', ['1.4', '2.0'], '"1.4,2" was asked for')
  check('1.4,2', ['2.0', '1.4'], 'of "1.4,2", the newest "2"')
})
