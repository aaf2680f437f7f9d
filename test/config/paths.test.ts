import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { baseFolder, expandPath, userHome } from '../../src/config/paths.ts'

test('expands ~ only at the start of a path', () => {
  const env = { HOME: '/h' }
  expect(expandPath('~', env)).toBe('/h')
  expect(expandPath('~/a b', env)).toBe('/h/a b')
  expect(expandPath('/x/~/../y/', env)).toBe('/x/y')
  expect(expandPath('~a', env)).toBe(join(process.cwd(), '~a'))
})

test('asks the system for the home folder if HOME is not set', () => {
  expect(userHome({})).toMatch(/^\//)
  expect(baseFolder('data', {}, 'linux')).toMatch(/^\/.*\/\.local\/share$/)
})
