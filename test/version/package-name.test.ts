import { expect, test } from 'bun:test'
import {
  isVersion,
  packageLibrary,
  packageKey,
  parsePackage,
} from '../../src/version/package-name.ts'

function check(typed: string, expected: [name: string, version: string | null, library: string]) {
  const found = parsePackage(typed)!
  expect([found.name, found.version, packageLibrary(found)]).toEqual(expected)
  expect(packageKey(found)).toBe(typed.replace(/(?<=.)@[^/]*$/, ''))
}

test('parses a registry, a name and an optional version', () => {
  check('npm:zod', ['zod', null, 'zod'])
  check('npm:@scope/name@1.2', ['@scope/name', '1.2', '@scope/name'])
  check('pypi:Flask-Login@0.27', ['Flask-Login', '0.27', 'flask-login'])
  check('crates:serde_json', ['serde_json', null, 'serde_json'])
  check('go:github.com/spf13/cobra@v1.8', ['github.com/spf13/cobra', 'v1.8', 'cobra'])
  check('go:github.com/Go-Chi/chi/v5', ['github.com/Go-Chi/chi/v5', null, 'chi'])
  check('go:gopkg.in/yaml.v3', ['gopkg.in/yaml.v3', null, 'yaml'])
})

test('parses packages of the other registries', () => {
  check('maven:com.google.code.gson:gson@2.11.0', ['com.google.code.gson:gson', '2.11.0', 'gson'])
  check('rubygems:rack', ['rack', null, 'rack'])
  check('packagist:monolog/monolog@^3', ['monolog/monolog', '^3', 'monolog'])
  check('packagist:Laravel/framework', ['Laravel/framework', null, 'laravel-framework'])
  check('hex:phoenix_html', ['phoenix_html', null, 'phoenix_html'])
  check('nuget:Serilog.Sinks.Console', ['Serilog.Sinks.Console', null, 'serilog.sinks.console'])
  expect(parsePackage('gem:rack')).toEqual(parsePackage('rubygems:rack'))
  expect(parsePackage('composer:a/b')).toEqual(parsePackage('packagist:a/b'))
  for (const typed of ['maven:gson', 'maven:../a:b', 'packagist:a', 'hex:A', 'nuget:a..b']) {
    expect(() => parsePackage(typed)).toThrow('as a package')
  }
})

test('returns null for text that is not a package', () => {
  for (const typed of [
    'zod',
    'git@host:path',
    'work:o/r',
    'https://x',
    'npm://x',
    'pub:http',
    'gems:rails',
  ]) {
    expect(parsePackage(typed)).toBe(null)
  }
})

test('rejects names that no registry allows', () => {
  const bad = [
    'npm:',
    'npm:../x',
    'npm:a/b',
    'pypi:-r',
    'crates:a/../b',
    'go:cobra',
    'npm:a@',
    'npm:a b',
    'go:github.com/../etc/passwd',
    'go:x.org/a?b',
    'npm:@a/..',
    `npm:${'a'.repeat(300)}`,
    'npm:a@1\n2',
  ]
  for (const typed of bad) {
    expect(() => parsePackage(typed)).toThrow(/^Cannot use ".*" as a package: /)
  }
  expect(['1.2', '^1', '>=2 <3', 'next', ''].map(isVersion)).toEqual([
    true,
    true,
    true,
    true,
    false,
  ])
})
