import { expect, test } from 'bun:test'
import {
  isPackPath,
  parseIndex,
  type RegistryPack,
} from '../../../src/library/registry/index-format.ts'
import { indexOf } from '../../support/pack/registry-index.ts'

test('rejects an index with paths that lead out of the registry', () => {
  const check = (expected: string, packs: Partial<RegistryPack>[], more: object = {}) =>
    expect(() => indexOf(packs, more)).toThrow(expected)
  for (const path of [
    '../x.ogpack',
    '/x.ogpack',
    'a//b.ogpack',
    'http://h/x.ogpack',
    'x.exe',
    '.x.ogpack',
    'a/../b.ogpack',
    'a\\b.ogpack',
    `${'x'.repeat(300)}.ogpack`,
  ]) {
    expect([path, isPackPath(path)]).toEqual([path, false])
    check('path is not a path of a pack', [{ path }])
  }
  check('manifest is not a SHA-256', [{ manifest: 'x' }])
  check('title is not a text of one line', [{ title: '\x1b[2J' }])
  check('serial is not a count', [], { serial: -1 })
  check('its format is 2, this og knows 1', [], { format: 2 })
  expect(() => parseIndex(Buffer.from('x'), '"x"')).toThrow('its index is not JSON')
})
