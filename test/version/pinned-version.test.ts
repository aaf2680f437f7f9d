import { describe, expect, test } from 'bun:test'
import {
  compareReleases,
  nearVersion,
  pinnedVersion,
  preferredPin,
} from '../../src/version/pinned-version.ts'
import { parseRelease } from '../../src/version/release.ts'

describe('the nearest version', () => {
  function check(named: string, versions: string, expected: string | null) {
    const list = versions.split(' ')
    expect(nearVersion(named, list)).toBe(expected)
    expect(nearVersion(named, list.toReversed())).toBe(expected)
  }

  test('returns the same version, with or without v', () => {
    check('18.2.0', 'v18.3.1 v18.2.0', 'v18.2.0')
    check('v1.9.1', '1.9.1 1.10.0', '1.9.1')
    check('1.2', '1.2.0 1.2.5', '1.2.0')
    check('2.0.0rc1', '2.0.0rc1 2.0.0', '2.0.0rc1')
  })

  test('returns a version with the same major and minor number if possible', () => {
    check('18.2.3', '18.2.1 18.2.9 18.3.0 17.0.0', '18.2.1')
    check('18.2.0', '18.2.5 18.2.9 18.1.0', '18.2.5')
    check('0.115.4', '0.115 0.116.0 0.114.0', '0.115')
    check('2.0.1', '2.0.0-rc.1 2.0.4', '2.0.4')
    check('2.0.1', '2.0.0-rc.1 1.9.0', '2.0.0-rc.1')
  })

  test('otherwise returns the highest lower version with the same major number, or else the lowest higher one', () => {
    check('18.2.0', '18.0.0 18.1.0 18.3.0 19.0.0', '18.1.0')
    check('18.2.0', '18.4.0 18.3.0 17.9.0', '18.3.0')
    check('0.110.0', '0.100.0 0.115.0', '0.100.0')
  })

  test('returns the newest version in a range', () => {
    check('^18.1.0', '18.1.0 18.3.1 19.0.0', '18.3.1')
    check('>=0.100,<0.115', '0.99.0 0.110.2 0.115.0', '0.110.2')
    check('^20', '18.0.0', null)
  })

  test('returns null if no version is near', () => {
    check('18.2.0', '17.0.2 19.0.0 latest main local-2026-01-31 2018-01-31', null)
    check('main', '1.0.0', null)
  })
})

test('orders commits after a release above it, and pre-releases below it', () => {
  const ascending = ['1.2.0-rc.1', '1.2.0-rc.1-3-g1a2b3c4', '1.2.0', '1.2.0-5-g1a2b3c4']
  const versions = [...ascending, '1.2.0-14-g1a2b3c4', '1.2.1']
  const sorted = versions.toSorted((a, b) => compareReleases(parseRelease(a)!, parseRelease(b)!))
  expect(sorted).toEqual(versions)
  expect(nearVersion('1.2.0', ['1.2.0-5-g1a2b3c4', '1.1.0'])).toBe('1.2.0-5-g1a2b3c4')
})

test('prefers the locked version that the nearest manifest allows', () => {
  const pins = [
    { package: 'base64', named: '^0.22', file: 'Cargo.toml' },
    { package: 'base64', named: '0.21.7', file: '../Cargo.lock' },
    { package: 'base64', named: '0.22.1', file: '../Cargo.lock' },
  ]
  expect(preferredPin(pins)).toBe(pins[2]!)
  expect(preferredPin(pins.slice(0, 2))).toBe(pins[0]!)
  expect(preferredPin(pins.slice(1))).toBe(pins[1]!)
  const versions = ['0.21.7', '0.22.0', '0.22.1', '0.22.5']
  expect(pinnedVersion(pins, 'base64', versions)).toEqual({ version: '0.22.1', pin: pins[2]! })
})

describe('the package of a library', () => {
  /** The version of each package is its position in the list. */
  function check(library: string, packages: string, expected: string | null) {
    const names = packages.split(' ')
    const pins = names.map((name, at) => ({ package: name, named: `${at + 1}.0.0`, file: 'f' }))
    const versions = pins.map(({ named }) => named)
    expect(pinnedVersion(pins, library, versions)?.pin.package ?? null).toBe(expected)
  }

  test('matches a name with any separator and capitalisation', () => {
    check('react', '@sentry/react react-dom react', 'react')
    check('typing-extensions', 'typing_extensions', 'typing_extensions')
    check('pyyaml', 'PyYAML', 'PyYAML')
    check('@tanstack/react-query', '@tanstack/react-query', '@tanstack/react-query')
    check('socket.io', 'socket.io-client socket.io', 'socket.io')
  })

  test('matches a package with a scope', () => {
    check('tanstack-query', '@tanstack/query', '@tanstack/query')
    check('react-query', '@tanstack/react-query', '@tanstack/react-query')
    check('angular', '@angular/router @angular/core', '@angular/core')
    check('react', '@types/react', null)
  })

  test('matches a part of the name, or a name that ends in js', () => {
    check('react', '@sentry/react react-dom', 'react-dom')
    check('nextjs', 'next', 'next')
    check('vue.js', 'vue', 'vue')
    check('chart', 'chart.js', 'chart.js')
  })

  test('matches a Go module', () => {
    check('gin', 'github.com/gin-gonic/gin', 'github.com/gin-gonic/gin')
    check('echo', 'github.com/labstack/echo/v4', 'github.com/labstack/echo/v4')
    check('yaml', 'gopkg.in/yaml.v3', 'gopkg.in/yaml.v3')
  })

  test('matches a package of Maven or Composer', () => {
    check(
      'gson',
      'com.google.code.gson:gson-extras com.google.code.gson:gson',
      'com.google.code.gson:gson',
    )
    check('monolog', 'monolog/monolog', 'monolog/monolog')
    check('laravel-framework', 'laravel/framework', 'laravel/framework')
  })

  test('does not match a merely similar name', () => {
    check('react', 'preact react-router reactor', null)
    check('gin', 'github.com/gin-contrib/cors', null)
  })

  test('uses a later package of the same name if the first is far from all versions', () => {
    const pins = [
      { package: 'redis', named: '9.0.0', file: 'a' },
      { package: 'redis', named: '5.1.0', file: 'b' },
    ]
    expect(pinnedVersion(pins, 'redis', ['5.0.0'])).toEqual({ version: '5.0.0', pin: pins[1]! })
  })
})
